import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen, TOKEN } from './hub-server.ts';

/** A dataset on the server: its visibility, its branches and their files. */
export interface UploadedDataset {
  isPrivate: boolean;
  readonly branches: Map<string, { head: string; readonly files: Map<string, Buffer> }>;
}

/** A request that the server has had. */
interface HubUpload {
  readonly server: 'hub' | 'storage';
  readonly method: string;
  readonly path: string;
}

/** A running Hub that takes datasets, with its storage of large files on another port. */
export interface UploadHub extends AsyncDisposable {
  readonly endpoint: string;
  readonly datasets: Map<string, UploadedDataset>;
  /** Large files by their SHA-256. */
  readonly stored: Map<string, Buffer>;
  readonly requests: HubUpload[];
  /** Requests that no client of the Hub may send, in words. */
  readonly faults: string[];
  /** Larger files are uploaded in parts of this size. */
  partBytes: number;
  /** Answers in place of the server; false lets it answer. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Forgets all datasets, files and requests. */
  reset: () => void;
}

/** The `.gitattributes` of a new dataset makes these files large ones, whatever their size. */
const LARGE = /\.(?:parquet|arrow|png|jpg|webp)$/;
const GIT_LFS = 'application/vnd.git-lfs+json';
const PAGE_ENTRIES = 4;

/** A request with its whole body. */
interface Sent {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly body: Buffer;
}

/** Ends a request with a refusal; a fault of the client is recorded too. */
class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly isFault: boolean;

  constructor(
    status: number,
    message: string,
    { headers = {}, isFault = false }: Partial<Pick<Refusal, 'headers' | 'isFault'>> = {},
  ) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.isFault = isFault;
  }
}

function demand(isRight: boolean, fault: string): asserts isRight {
  if (!isRight) throw new Refusal(400, fault, { isFault: true });
}

/** Starts a Hub that checks what it is sent: headers, sizes, hashes and the shape of each body. */
export async function openUploadHub(): Promise<UploadHub> {
  const state = { commits: 0, parts: new Map<string, Buffer>() };
  const respond =
    (server: HubUpload['server'], answer: (sent: Sent) => unknown) =>
    async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method = '', url: path = '' } = request;
      hub.requests.push({ server, method, path });
      if (hub.intercept(request, response)) return;
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
      try {
        demand(Number(request.headers['content-length'] ?? 0) === body.length, 'a wrong content-length');
        const value = answer({ request, response, url: new URL(path, 'http://localhost'), body });
        if (value === undefined) return;
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      } catch (thrown) {
        const { status, message, headers, isFault } =
          thrown instanceof Refusal ? thrown : new Refusal(500, String(thrown), { isFault: true });
        if (isFault) hub.faults.push(`${method} ${path}: ${message}`);
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify({ error: message }));
      }
    };
  const storage = await listen((...sent) => void respond('storage', (one) => store(hub, state.parts, one))(...sent));
  const api = await listen(
    (...sent) => void respond('hub', (one) => answerApi({ hub, storage: storage.origin, state }, one))(...sent),
  );
  const hub: UploadHub = {
    endpoint: api.origin,
    datasets: new Map(),
    stored: new Map(),
    requests: [],
    faults: [],
    partBytes: 1_000_000,
    intercept: () => false,
    reset: () => {
      for (const held of [hub.datasets, hub.stored, state.parts]) held.clear();
      for (const list of [hub.requests, hub.faults]) list.length = 0;
      hub.intercept = () => false;
      hub.partBytes = 1_000_000;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([api.close(), storage.close()]);
    },
  };
  return hub;
}

interface Serving {
  readonly hub: UploadHub;
  readonly storage: string;
  readonly state: { commits: number };
}

function answerApi(serving: Serving, sent: Sent): unknown {
  const { request, url } = sent;
  const { authorization } = request.headers;
  if (authorization !== `Bearer ${TOKEN}`) throw new Refusal(401, `no user has the token ${String(authorization)}`);
  const path = url.pathname;
  if (path === '/api/repos/create') return createRepo(serving, sent);
  const batch = /^\/datasets\/([^/]+\/[^/]+)\.git\/info\/lfs\/objects\/batch$/.exec(path)?.[1];
  if (batch !== undefined) return offerUploads(serving, datasetOf(serving, batch), sent);
  const [, name = '', kind = '', encoded = ''] =
    /^\/api\/datasets\/([^/]+\/[^/]+)\/(revision|branch|tree|preupload|commit)\/([^/]+)$/.exec(path) ?? [];
  const dataset = datasetOf(serving, name);
  const revision = decodeURIComponent(encoded);
  if (kind === 'branch') return createBranch(dataset, revision, sent);
  const branch = branchOf(dataset, revision);
  if (kind === 'revision') return { _id: '1', id: name, sha: branch.head, private: dataset.isPrivate };
  if (kind === 'tree') return sendTree(branch.files, sent);
  if (kind === 'preupload') return preupload(sent);
  return commit(serving, branch, sent);
}

function datasetOf({ hub }: Serving, name: string): UploadedDataset {
  const dataset = hub.datasets.get(name);
  if (!dataset) throw new Refusal(404, 'Repository not found', { headers: { 'x-error-code': 'RepoNotFound' } });
  return dataset;
}

function branchOf({ branches }: UploadedDataset, revision: string) {
  const branch = branches.get(revision) ?? [...branches.values()].find(({ head }) => head === revision);
  if (!branch) throw new Refusal(404, 'Invalid rev id', { headers: { 'x-error-code': 'RevisionNotFound' } });
  return branch;
}

function readJson({ request, body }: Sent, type = 'application/json'): Record<string, unknown> {
  demand(request.method === 'POST', 'not a POST');
  demand(request.headers['content-type'] === type, `content-type ${request.headers['content-type']}`);
  return JSON.parse(body.toString('utf8')) as Record<string, unknown>;
}

function nextCommit(state: Serving['state']): string {
  return createHash('sha1')
    .update(`commit ${++state.commits}`)
    .digest('hex');
}

function createRepo({ hub, state }: Serving, sent: Sent): object {
  const { type, organization, name, visibility } = readJson(sent);
  demand(type === 'dataset' && typeof organization === 'string' && typeof name === 'string', 'no dataset');
  demand(visibility === 'private' || visibility === 'public', `visibility ${String(visibility)}`);
  const repoId = `${organization}/${name}`;
  if (organization === 'others') throw new Refusal(403, 'You have no rights to create a dataset there');
  if (hub.datasets.has(repoId)) throw new Refusal(409, 'You already created this dataset repo');
  const files = new Map([['.gitattributes', Buffer.from('*.parquet filter=lfs diff=lfs merge=lfs -text\n')]]);
  hub.datasets.set(repoId, {
    isPrivate: visibility === 'private',
    branches: new Map([['main', { head: nextCommit(state), files }]]),
  });
  return { url: `${hub.endpoint}/datasets/${repoId}`, id: '1', name: repoId };
}

function createBranch({ branches }: UploadedDataset, name: string, sent: Sent): object {
  readJson(sent);
  if (branches.has(name)) throw new Refusal(409, 'Reference already exists');
  const { head, files } = branchOf({ isPrivate: false, branches }, 'main');
  branches.set(name, { head, files: new Map(files) });
  return {};
}

/** A page of files with folders between them, as the Hub lists them. */
function sendTree(files: ReadonlyMap<string, Buffer>, { request, url, response }: Sent): unknown {
  const origin = `http://${request.headers.host}`;
  demand(url.searchParams.get('recursive') === 'true', 'a listing of one folder');
  const entries = [...files].map(([path, bytes]) => {
    const oid = gitName(bytes);
    const lfs = LARGE.test(path) ? { lfs: { oid: sha256(bytes), size: bytes.length, pointerSize: 134 } } : {};
    return { type: 'file', path, size: bytes.length, oid, ...lfs };
  });
  const all = [{ type: 'directory', path: 'data', oid: '0' }, ...entries];
  const from = Number(url.searchParams.get('cursor') ?? 0);
  url.searchParams.set('cursor', String(from + PAGE_ENTRIES));
  const link: Record<string, string> =
    from + PAGE_ENTRIES < all.length ? { link: `<${origin}${url.pathname}${url.search}>; rel="next"` } : {};
  response.writeHead(200, { 'content-type': 'application/json', ...link });
  response.end(JSON.stringify(all.slice(from, from + PAGE_ENTRIES)));
  return undefined;
}

interface AnnouncedFile {
  readonly path: string;
  readonly size: number;
  readonly sample: string;
}

function preupload(sent: Sent): object {
  const { files } = readJson(sent) as { readonly files: readonly AnnouncedFile[] };
  demand(files.length > 0 && files.length <= 256, `${files.length} files in one preupload`);
  for (const { path, size, sample } of files) {
    demand(Buffer.from(sample, 'base64').length === Math.min(512, size), `${path}: a sample of another size`);
  }
  return {
    files: files.map(({ path }) => ({ path, uploadMode: LARGE.test(path) ? 'lfs' : 'regular', shouldIgnore: false })),
  };
}

interface LargeObject {
  readonly oid: string;
  readonly size: number;
}

function offerUploads({ hub, storage }: Serving, dataset: UploadedDataset, sent: Sent): object {
  demand(sent.request.headers.accept === GIT_LFS, 'another accept header');
  const { operation, transfers, hash_algo, ref, objects } = readJson(sent, GIT_LFS) as {
    readonly operation: string;
    readonly transfers: readonly string[];
    readonly hash_algo: string;
    readonly ref: { readonly name: string };
    readonly objects: readonly LargeObject[];
  };
  demand(operation === 'upload' && /^sha_?256$/.test(hash_algo), `${operation} with ${hash_algo}`);
  demand(transfers.includes('basic') && dataset.branches.has(ref.name), 'no transfer or no branch');
  const offered = objects.map(({ oid, size }) => {
    demand(/^[0-9a-f]{64}$/.test(oid) && Number.isSafeInteger(size), 'an object without hash or size');
    if (hub.stored.has(oid)) return { oid, size };
    const parts = Math.ceil(size / hub.partBytes);
    const href = `${storage}/${oid}`;
    if (parts <= 1) return { oid, size, actions: { upload: { href: `${href}?size=${size}&signature=x` } } };
    const partHeaders = Object.fromEntries(
      Array.from({ length: parts }, (_, at) => [String(at + 1).padStart(5, '0'), `${href}/part/${at + 1}`]),
    );
    const header = { chunk_size: String(hub.partBytes), ...partHeaders };
    return { oid, size, actions: { upload: { href: `${href}/complete?size=${size}`, header } } };
  });
  return { transfer: hub.partBytes < Infinity ? 'multipart' : 'basic', objects: offered };
}

/** The storage of large files: whole uploads, parts, and the end of an upload in parts. */
function store(hub: UploadHub, parts: Map<string, Buffer>, sent: Sent): unknown {
  const { request, response, url, body } = sent;
  demand(request.headers.authorization === undefined, 'the token in a request to the storage');
  const [, oid = '', part, end] = /^\/([0-9a-f]{64})(?:\/part\/(\d+)|\/(complete))?$/.exec(url.pathname) ?? [];
  const keep = (bytes: Buffer) => {
    demand(bytes.length === Number(url.searchParams.get('size')), 'a file of another size');
    demand(sha256(bytes) === oid, 'a file with another hash');
    hub.stored.set(oid, bytes);
  };
  if (end !== undefined) {
    const { oid: named, parts: told } = readJson(sent, GIT_LFS) as {
      readonly oid: string;
      readonly parts: readonly { readonly partNumber: number; readonly etag: string }[];
    };
    const pieces = told.map(({ partNumber, etag }) => {
      const bytes = parts.get(`${oid}/${partNumber}`);
      demand(bytes !== undefined && etag === `"${sha256(bytes)}"`, `part ${partNumber} with another etag`);
      return bytes;
    });
    demand(named === oid, 'the end of another upload');
    keep(Buffer.concat(pieces));
    return { success: true };
  }
  demand(request.method === 'PUT', 'not a PUT');
  if (part === undefined) keep(body);
  else parts.set(`${oid}/${part}`, body);
  response.writeHead(200, { etag: `"${sha256(body)}"` }).end();
  return undefined;
}

type CommitLine =
  | { readonly key: 'header'; readonly value: { readonly summary: string; readonly parentCommit?: string } }
  | {
      readonly key: 'file';
      readonly value: { readonly path: string; readonly content: string; readonly encoding: string };
    }
  | { readonly key: 'lfsFile'; readonly value: LargeObject & { readonly path: string; readonly algo: string } }
  | { readonly key: 'deletedFile'; readonly value: { readonly path: string } };

function commit(
  { hub, state }: Serving,
  branch: { head: string; readonly files: Map<string, Buffer> },
  sent: Sent,
): object {
  demand(sent.request.method === 'POST', 'not a POST');
  demand(sent.request.headers['content-type'] === 'application/x-ndjson', 'no NDJSON');
  const [header, ...lines] = sent.body
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CommitLine);
  demand(header?.key === 'header' && header.value.summary !== '', 'no header');
  const { parentCommit = branch.head } = header.value;
  if (parentCommit !== branch.head) throw new Refusal(412, 'A commit has happened since');
  demand(lines.length > 0, 'an empty commit');
  const paths = lines.map((line) => (line.key === 'header' ? '' : line.value.path));
  demand(new Set(paths).size === paths.length && !paths.includes(''), 'a path twice, or none');
  const files = new Map(branch.files);
  for (const line of lines) {
    if (line.key === 'file') {
      demand(line.value.encoding === 'base64' && !LARGE.test(line.value.path), `${line.value.path} within the commit`);
      files.set(line.value.path, Buffer.from(line.value.content, 'base64'));
    } else if (line.key === 'lfsFile') {
      const { path, oid, size, algo } = line.value;
      const bytes = hub.stored.get(oid);
      demand(algo === 'sha256' && bytes?.length === size, `${path} was not uploaded`);
      files.set(path, bytes);
    } else if (line.key === 'deletedFile') demand(files.delete(line.value.path), `${line.value.path} is not there`);
  }
  branch.files.clear();
  for (const [path, bytes] of files) branch.files.set(path, bytes);
  branch.head = nextCommit(state);
  const page = sent.url.pathname.replace(/^\/api|\/commit\/[^/]+$/g, '');
  const commitUrl = `${hub.endpoint}${page}/commit/${branch.head}`;
  return { success: true, commitOid: branch.head, commitUrl, hookOutput: '' };
}

function gitName(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
