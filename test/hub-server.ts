import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One entry of a dataset's listing, and its bytes unless nothing is behind it. */
interface HubEntry {
  readonly content?: string | Buffer;
  /** Kept beside git: its bytes come from the second server. */
  readonly isLarge?: boolean;
  /** What the listing says in place of the truth. */
  readonly told?: Readonly<Record<string, unknown>>;
}

/** A dataset of the server, by commit and then by path. */
export interface HubDataset {
  /** Commits by the names of branches and tags. */
  readonly revisions: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, HubEntry>>;
  readonly access?: 'private' | 'gated';
}

/** What was asked of one of the servers. */
export interface HubRequest {
  readonly server: 'hub' | 'storage';
  readonly path: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
}

/** A running Hub with its storage of large files on another port. */
export interface LocalHub extends AsyncDisposable {
  readonly endpoint: string;
  readonly storage: string;
  readonly asked: HubRequest[];
  /** Answers in place of the server; false lets it answer. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export const TOKEN = 'hf_good-token';
const PAGE_ENTRIES = 3;

/** Starts a Hub that holds some datasets; listings have pages of three entries, and the API stands below `prefix`. */
export async function openLocalHub(
  datasets: Readonly<Record<string, HubDataset>>,
  { prefix = '' }: { readonly prefix?: string } = {},
): Promise<LocalHub> {
  const asked: HubRequest[] = [];
  const note = (server: HubRequest['server'], { url = '', headers }: IncomingMessage): void => {
    asked.push({ server, path: url, authorization: headers.authorization, range: headers.range });
  };
  const storage = await listen((request, response) => {
    note('storage', request);
    sendPart(request, response, blobOf(datasets, request.url?.slice(1) ?? ''));
  });
  const hub: RequestListener = (request, response) => {
    note('hub', request);
    if (!opened.intercept(request, response)) answer({ datasets, prefix, storage: storage.origin }, request, response);
  };
  const server = await listen(hub);
  const opened: LocalHub = {
    endpoint: `${server.origin}${prefix}`,
    storage: storage.origin,
    asked,
    intercept: () => false,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([server, storage].map(({ close }) => close()));
    },
  };
  return opened;
}

/** Sends bytes, or the part of them that is asked for. */
export function sendPart({ headers }: IncomingMessage, response: ServerResponse, bytes: Buffer | undefined): void {
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  if (!bytes) response.writeHead(404).end();
  else if (from === 0) response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  else {
    const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
    response.writeHead(206, { 'content-range': range }).end(bytes.subarray(from));
  }
}

/** Starts a server on a free port of this machine. */
export async function listen(
  listener: RequestListener,
): Promise<{ readonly origin: string; readonly close: () => Promise<void> }> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

interface Held {
  readonly datasets: Readonly<Record<string, HubDataset>>;
  readonly prefix: string;
  readonly storage: string;
}

const API = /^\/api\/datasets\/(.+?)(?:\/(revision|tree)\/([^/]+)(?:\/(.+))?)?$/;
const FILE = /^\/datasets\/(.+?)\/resolve\/([^/]+)\/(.+)$/;

function answer(held: Held, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '', 'http://localhost');
  if (!url.pathname.startsWith(`${held.prefix}/`)) return refuse(response, 404);
  const path = decodeURIComponent(url.pathname.slice(held.prefix.length));
  const [, fileOf, , file] = FILE.exec(path) ?? [];
  // Revisions may have an encoded slash in them: they are taken out of the path before it is decoded.
  const [, apiOf, kind, revision, folder] = API.exec(url.pathname.slice(held.prefix.length)) ?? [];
  const dataset = held.datasets[fileOf ?? apiOf ?? ''];
  const refusal = dataset ? refusalOf(dataset, request) : missingTo(request);
  if (refusal || !dataset) return refuse(response, ...(refusal ?? [404]));
  if (fileOf !== undefined) return sendFile(held, dataset.files[file ?? ''], { request, response });
  const name = decodeURIComponent(revision ?? '');
  const commit = dataset.revisions[name] ?? Object.values(dataset.revisions).find((one) => one === name);
  if (kind === undefined) return sendJson(response, { id: apiOf });
  if (commit === undefined) return refuse(response, 404, 'RevisionNotFound');
  if (kind === 'revision') return sendJson(response, { id: apiOf, sha: commit });
  sendTree(dataset, { url, folder: decodeURIComponent(folder ?? '') }, response);
}

function missingTo({ headers }: IncomingMessage): [number, string] {
  return headers.authorization === `Bearer ${TOKEN}` ? [404, 'RepoNotFound'] : [401, 'RepoNotFound'];
}

function refusalOf({ access }: HubDataset, { headers }: IncomingMessage): [number, string?] | undefined {
  const { authorization } = headers;
  if (authorization !== undefined && authorization !== `Bearer ${TOKEN}`) return [401];
  if (access === 'gated') return [403, 'GatedRepo'];
  return access === 'private' && authorization === undefined ? [401, 'RepoNotFound'] : undefined;
}

function refuse(response: ServerResponse, status: number, code?: string): void {
  response.writeHead(status, code === undefined ? {} : { 'x-error-code': code }).end('{"error":"no"}');
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function sendFile(
  { storage }: Held,
  entry: HubEntry | undefined,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): void {
  if (entry?.content === undefined) return refuse(response, 404, 'EntryNotFound');
  const bytes = Buffer.from(entry.content);
  if (entry.isLarge !== true) sendPart(request, response, bytes);
  else response.writeHead(302, { location: `${storage}/${sha256(bytes)}?signature=secret` }).end();
}

function sendTree(
  { files }: HubDataset,
  { url, folder }: { readonly url: URL; readonly folder: string },
  response: ServerResponse,
): void {
  const isDeep = url.searchParams.get('recursive') === 'true';
  const inside = Object.keys(files).filter((path) => folder === '' || path.startsWith(`${folder}/`));
  if (inside.length === 0 && folder !== '') return refuse(response, 404, 'EntryNotFound');
  const entries = inside
    .filter((path) => isDeep || !path.slice(folder === '' ? 0 : folder.length + 1).includes('/'))
    .map((path) => entryOf(path, files[path] as HubEntry));
  const all = [{ type: 'directory', path: 'some-folder', oid: '0' }, ...entries];
  const from = Number(url.searchParams.get('cursor') ?? 0);
  const next = new URL(url);
  next.searchParams.set('cursor', String(from + PAGE_ENTRIES));
  if (from + PAGE_ENTRIES < all.length)
    response.setHeader('link', `</first>; rel="first", <${next.pathname}${next.search}>; rel="next"`);
  sendJson(response, all.slice(from, from + PAGE_ENTRIES));
}

function entryOf(path: string, { content = '', isLarge, told }: HubEntry): object {
  const bytes = Buffer.from(content);
  const oid = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  const lfs = { oid: sha256(bytes), size: bytes.length, pointerSize: 134 };
  return { type: 'file', path, size: bytes.length, oid, ...(isLarge === true ? { lfs } : {}), ...told };
}

function blobOf(datasets: Held['datasets'], name: string): Buffer | undefined {
  const hash = name.replace(/\?.*$/s, '');
  const contents = Object.values(datasets).flatMap(({ files }) => Object.values(files));
  return contents.map(({ content = '' }) => Buffer.from(content)).find((bytes) => sha256(bytes) === hash);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
