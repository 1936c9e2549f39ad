import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { DataDesigner, DataDesignerConfigBuilder, type DatasetCreationResults, loadDataset } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseDocument } from '@data-designer/config';
import { runCommand } from './command-line.ts';
import { HubRepository } from '../packages/results/src/push/hub-repository.ts';
import { TOKEN } from './hub-server.ts';
import { openUploadHub, type UploadedDataset, type UploadHub } from './hub-upload-server.ts';

const REPO = 'acme/fine-facts';
const IMAGE = 'images/picture/0b0e6d6c-8c8b-4b52-9d25-3f4ad0a6d0e1.png';

let hub: UploadHub;
let home: string;
let designer: DataDesigner;
/** 25 rows in three files, with a processor's output and an image. */
let made: DatasetCreationResults;

function declared() {
  return new DataDesignerConfigBuilder()
    .addColumn({
      name: 'kind',
      columnType: 'sampler',
      samplerType: 'category',
      params: { values: ['a', 'b'] },
    })
    .addColumn({ name: 'shout', columnType: 'expression', expr: '{{ kind | upper }}' })
    .addProcessor({ processorType: 'schema_transform', name: 'data', template: { text: '{{ shout }}' } });
}

const create = (numRecords: number, datasetName: string) => designer.create(declared(), { numRecords, datasetName });

beforeAll(async () => {
  hub = await openUploadHub();
  home = mkdtempSync(join(tmpdir(), 'hub-pushes-'));
  designer = new DataDesigner({ artifactPath: home, runConfig: { seed: 8, bufferSize: 10 } });
  made = await create(25, 'facts');
  mkdirSync(join(made.path, 'images', 'picture'), { recursive: true });
  writeFileSync(join(made.path, IMAGE), 'a picture');
});

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

beforeEach(() => hub.reset());

afterEach(() => {
  if (hub.faults.length > 0) throw new Error(hub.faults.join('\n'));
});

const push = (options: Partial<Parameters<DatasetCreationResults['pushToHub']>[0]> = {}, results = made) =>
  results.pushToHub({ repoId: REPO, endpoint: hub.endpoint, token: TOKEN, ...options });
const dataset = () => hub.datasets.get(REPO) as UploadedDataset;
const branch = (name = 'main') => dataset().branches.get(name)?.files as Map<string, Buffer>;
const text = (path: string, name = 'main') => branch(name).get(path)?.toString('utf8') ?? '';
const uploads = () => hub.requests.filter(({ method }) => method === 'PUT');
const commits = () => hub.requests.filter(({ path }) => path.includes('/commit/'));

/** The code and the text of the failure that a push ends with. */
async function failureOf(work: Promise<unknown>): Promise<string> {
  const thrown: unknown = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  const { code = '', message = '' } = thrown as { readonly code?: string; readonly message?: string };
  return `${code}: ${message}`;
}

test('a push places records, outputs, images, config, metadata and card in one commit', async () => {
  const { url, commit, files, deleted } = await push({ private: true, description: 'Facts.', tags: ['a: b'] });
  expect(url).toBe(`${hub.endpoint}/datasets/${REPO}`);
  expect([commit, deleted]).toEqual([dataset().branches.get('main')?.head, []]);
  expect(commits()).toHaveLength(1);
  expect(dataset().isPrivate).toBe(true);
  const batches = ['00000', '00001', '00002'].map((digits) => `batch_${digits}.parquet`);
  expect([...branch().keys()].toSorted()).toEqual(
    [
      '.gitattributes',
      'README.md',
      'builder_config.json',
      ...batches.map((name) => `data-processor/${name}`),
      ...batches.map((name) => `data/${name}`),
      IMAGE,
      'metadata.json',
    ].toSorted(),
  );
  expect(files.every(({ uploaded }) => uploaded)).toBe(true);
  const [first] = batches;
  expect(branch().get(`data/${first}`)).toEqual(readFileSync(join(made.path, 'parquet-files', `${first}`)));
  expect(JSON.parse(text('metadata.json'))).toMatchObject({
    actual_num_records: 25,
    column_statistics: [{ column_name: 'kind' }, { column_name: 'shout' }],
    file_paths: {
      data: batches.map((name) => `data/${name}`),
      'processor-files': { data: batches.map((name) => `data-processor/${name}`) },
    },
  });
  expect(JSON.parse(text('builder_config.json'))).toMatchObject({ data_designer: { columns: [{ name: 'kind' }, {}] } });
  const [, front = '', body = ''] = text('README.md').split('---\n');
  expect(parseDocument(front, { path: 'README.md', json: false })).toEqual({
    size_categories: ['n<1K'],
    tags: ['synthetic', 'datadesigner', 'a: b'],
    configs: [
      { config_name: 'data', data_files: ['data/*.parquet'], default: true },
      { config_name: 'data-processor', data_files: ['data-processor/*.parquet'] },
    ],
  });
  expect(body).toContain('# Fine Facts\n\nFacts.\n');
  expect(body).toContain('- Records: 25\n- Columns: 2\n');
  expect(body).toContain('| `kind` | `string` | sampler | 2 (8.0%) | 0 (0.0%) | category |');
});

test(
  'a second push sends nothing, and a push of a smaller dataset deletes the other files in its commit',
  { tags: 'long' },
  async () => {
    const { commit } = await push();
    dataset().branches.get('main')?.files.set('images/logo.png', Buffer.from('of the owner'));
    const before = uploads().length;
    expect(await push()).toMatchObject({ commit: null, deleted: [] });
    expect([uploads().length, commits().length]).toEqual([before, 1]);
    const smaller = await push({}, await create(5, 'fewer'));
    expect(smaller.commit).not.toBe(commit);
    expect(commits()).toHaveLength(2);
    expect(smaller.deleted).toEqual([
      ...['data-processor', 'data'].flatMap((name) => ['1', '2'].map((at) => `${name}/batch_0000${at}.parquet`)),
      IMAGE,
    ]);
    expect([...branch().keys()].filter((path) => /^(?:data|images)\b/.test(path)).toSorted()).toEqual([
      'data-processor/batch_00000.parquet',
      'data/batch_00000.parquet',
      'images/logo.png',
    ]);
  },
);

test('a push that broke off continues with the files that the Hub lacks', async () => {
  const { size } = statSync(join(made.path, IMAGE));
  hub.intercept = ({ method, url = '' }, response) => {
    if (method !== 'PUT' || !url.includes(`size=${size}&`)) return false;
    // The other six large files arrive first.
    const refuse = () => void (hub.stored.size < 6 ? setImmediate(refuse) : response.writeHead(403).end());
    refuse();
    return true;
  };
  expect(await failureOf(push())).toBe(
    `hub/not-pushed: Cannot push to the Hub dataset '${REPO}': the storage server of large files answered with status 403. Push again; uploaded files are kept.`,
  );
  expect([commits(), branch().size]).toEqual([[], 1]);
  hub.intercept = () => false;
  hub.requests.length = 0;
  const { files } = await push();
  expect(uploads()).toHaveLength(1);
  const sent = files.filter(({ uploaded }) => uploaded).map(({ path }) => path);
  expect(sent).toEqual([IMAGE, 'builder_config.json', 'metadata.json', 'README.md']);
});

test('a revision is a branch that begins with the files of main', async () => {
  await push();
  const main = dataset().branches.get('main')?.head;
  const { url, commit } = await push({ revision: 'small/v2' }, await create(5, 'branched'));
  expect(url).toBe(`${hub.endpoint}/datasets/${REPO}/tree/small%2Fv2`);
  expect([main, commit]).toEqual(['main', 'small/v2'].map((name) => dataset().branches.get(name)?.head));
  expect(branch('small/v2').has('data/batch_00001.parquet')).toBe(false);
  expect(text('README.md', 'small/v2')).toContain(
    `load_dataset("${REPO}", "data", split="train", revision="small/v2")`,
  );
  expect(branch().has('data/batch_00001.parquet')).toBe(true);
});

test('a large file is uploaded in the parts that the Hub asks for', async () => {
  hub.partBytes = 200;
  const seen: string[] = [];
  await push({ onUpload: ({ path }) => void seen.push(path) });
  expect(hub.requests.some(({ path }) => path.endsWith('/part/2'))).toBe(true);
  const file = 'parquet-files/batch_00000.parquet';
  expect(branch().get('data/batch_00000.parquet')).toEqual(readFileSync(join(made.path, file)));
  expect(seen.toSorted()).toEqual([...branch().keys()].filter((path) => /parquet$|png$/.test(path)).toSorted());
});

test.each([
  [{ repoId: 'facts' }, "hub/not-pushed: Cannot push to the Hub dataset 'facts': this is not a name of a dataset."],
  [{ repoId: 'acme/a--b' }, 'this is not a name of a dataset'],
  [{ repoId: 'acme/a/b' }, 'this is not a name of a dataset'],
  [{ revision: 'a b' }, "'a b' is not a name of a branch"],
  [{ revision: '-x' }, "'-x' is not a name of a branch"],
  [{ endpoint: 'http://hub.example.com' }, 'would be sent to http://hub.example.com without encryption'],
  [{ endpoint: 'https://u:secret@hub.example.com' }, 'the address of the Hub is not a plain http(s) address'],
  [{ token: 'NO_SUCH_TOKEN' }, 'secret/missing: A push to the Hub needs the environment variable NO_SUCH_TOKEN'],
  [{ token: 'two words' }, 'the given token is empty or contains invalid characters'],
  [{ tags: [1] as unknown as string[] }, 'config/invalid'],
])('%o is refused before the first request', async (options, said) => {
  const failed = await failureOf(push(options));
  expect(failed).toContain(said);
  expect(failed).not.toMatch(/u:secret|two words/);
  expect(hub.requests).toEqual([]);
});

test('a folder without readable metadata or without records is refused before the first request', async () => {
  const copy = join(home, 'copy');
  cpSync(made.path, copy, { recursive: true });
  const results = await loadDataset(copy);
  writeFileSync(join(copy, 'metadata.json'), '{');
  expect(await failureOf(push({}, results))).toMatch(/^dataset\/damaged: .*metadata\.json/);
  cpSync(join(made.path, 'metadata.json'), join(copy, 'metadata.json'));
  for (const name of readdirSync(join(copy, 'parquet-files'))) rmSync(join(copy, 'parquet-files', name));
  expect(await failureOf(push({}, results))).toMatch(/^dataset\/empty: /);
  expect(hub.requests).toEqual([]);
});

test('a file of an output or an image that was changed is not pushed', async () => {
  const [copy, path] = [join(home, 'changed'), 'processors-files/data/batch_00001.parquet'];
  cpSync(made.path, copy, { recursive: true });
  const results = await loadDataset(copy);
  const whole = readFileSync(join(copy, path));
  writeFileSync(join(copy, path), whole.with(40, (whole[40] ?? 0) ^ 1));
  expect(await failureOf(push({}, results))).toMatch(/^dataset\/damaged: .*data.batch_00001\.parquet.*checksum/);
  writeFileSync(join(copy, path), whole);
  writeFileSync(join(copy, IMAGE), 'a picture');
  const [bytes, crc32] = [9, zlib.crc32('another')];
  const line = JSON.stringify({ group: 0, images: [[IMAGE, bytes, crc32]] });
  appendFileSync(join(copy, 'checksums.jsonl'), `${line.slice(0, -1)},"check":${zlib.crc32(line)}}\n`);
  expect(await failureOf(push({}, results))).toContain('it is missing or damaged');
  expect(hub.requests).toEqual([]);
});

test('a public dataset is not pushed to as a private one', async () => {
  await push();
  const failed = `hub/not-pushed: Cannot push to the Hub dataset '${REPO}': it exists and is public, and a push does not make it private.`;
  expect(await failureOf(push({ private: true }))).toContain(failed);
  expect(await failureOf(push({ private: true, revision: 'other' }))).toContain(failed);
  expect(dataset().branches.has('other')).toBe(false);
});

test.each([
  [
    '/revision/',
    401,
    `hub/unauthorized: The Hub denies access to the dataset '${REPO}' (status 401): the given token is not`,
  ],
  ['/commit/', 403, 'hub/unauthorized: The Hub denies access to the dataset'],
  ['/preupload/', 404, 'hub/missing: 127.0.0.1:'],
  ['/commit/', 400, 'the Hub answered with status 400: The card of [secret] is wrong. Correct it'],
  ['/revision/', 302, 'the Hub answered with status 302'],
])('an answer of %s with status %i ends the push', async (part, status, said) => {
  hub.intercept = ({ url }, response) => {
    if (url?.includes(part) !== true) return false;
    response.writeHead(status).end(JSON.stringify({ error: `The card of ${TOKEN} is wrong` }));
    return true;
  };
  const failed = await failureOf(push());
  expect(failed).toContain(said);
  expect(failed).not.toContain(TOKEN);
  expect(hub.datasets.get(REPO)?.branches.get('main')?.files.size ?? 1).toBe(1);
});

test('a push fails if its branch changes meanwhile', async () => {
  hub.intercept = ({ url = '' }) => {
    const main = hub.datasets.get(REPO)?.branches.get('main');
    if (url.endsWith('/batch') && main) main.head = 'c3'.repeat(20);
    return false;
  };
  expect(await failureOf(push())).toContain('its branch has changed since the push began (status 412). Push again.');
  expect(branch().size).toBe(1);
});

/** A connection whose retries do not wait. */
function repository() {
  const target = { endpoint: new URL(hub.endpoint), repoId: REPO, revision: 'main' };
  const token = { value: TOKEN, shown: 'the given token' };
  return new HubRepository({ target, token, signal: new AbortController().signal, retryDelayMs: 1 });
}

test('requests that may succeed later are sent again, up to four times', async () => {
  const failing = new Map(
    ['/create', '/preupload/', '/batch', 'signature', '/commit/'].map((part, at) => [part, 500 + at]),
  );
  failing.set('/tree/', 429);
  hub.intercept = ({ url = '' }, response) => {
    const [part, status] = [...failing].find(([one]) => url.includes(one)) ?? [];
    if (part === undefined || status === undefined) return false;
    failing.delete(part);
    response.writeHead(status).end();
    return true;
  };
  const opened = repository();
  const parent = await opened.open(false);
  await opened.files(parent);
  const content = new Blob(['rows']);
  const changed = [{ path: 'data/batch_00000.parquet', bytes: content.size, source: null, content }];
  await opened.commit({ parent, title: 'Push', changed, deleted: [], onUpload: () => {} });
  expect([failing.size, text('data/batch_00000.parquet')]).toEqual([0, 'rows']);
  hub.requests.length = 0;
  hub.intercept = (_, response) => response.writeHead(503).end().writableEnded;
  expect(await failureOf(repository().open(false))).toContain('hub/unreachable: The request to http://127.0.0.1:');
  expect(hub.requests).toHaveLength(4);
  hub.intercept = (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end().writableEnded;
  expect(await failureOf(repository().open(false))).toContain('accepts new ones in 60 minutes. Start again after');
  expect(hub.requests).toHaveLength(5);
});

test('a stopped push leaves the dataset as it was', async () => {
  const stop = new AbortController();
  hub.intercept = ({ url }) => {
    if (url?.endsWith('/batch')) stop.abort();
    return false;
  };
  expect(await failureOf(push({ signal: stop.signal }))).toMatch(/^run\/aborted/);
  expect([commits(), branch().size]).toEqual([[], 1]);
});

const surroundings = () => ({ env: { HF_ENDPOINT: hub.endpoint, HF_TOKEN: undefined, HOME: home }, cwd: home });

test('push --dry-run names each file, its place and its size without a request or a token', async () => {
  const { code, stdout, stderr } = await runCommand(['push', made.path, REPO, '--dry-run'], surroundings());
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`${hub.endpoint}/datasets/${REPO} (main)\n`);
  expect(stdout).toMatch(/parquet-files\/batch_00002\.parquet +-> +data\/batch_00002\.parquet +\d.*B\n/);
  expect(stdout).toMatch(/processors-files\/data\/batch_00000\.parquet +-> +data-processor\/batch_00000\.parquet/);
  expect(stdout).toMatch(/\(written by the push\) +-> +README\.md/);
  expect(stdout).toMatch(/10 files, [\d.]+ kB\. Nothing was sent\.\n$/);
  expect(hub.requests).toEqual([]);
});

test(
  'push takes the token from the environment, from another variable or from the login of the Hub',
  { tags: 'long' },
  async () => {
    const { env, cwd } = surroundings();
    const run = (args: readonly string[], more: Readonly<Record<string, string>>) =>
      runCommand(['push', made.path, REPO, ...args], { env: { ...env, ...more }, cwd });
    const named = await run(['--json', '--tag', 'x', '--private'], { HF_TOKEN: TOKEN });
    expect(named.code).toBe(0);
    expect(JSON.parse(named.stdout)).toMatchObject({ path: made.path, repoId: REPO, dryRun: false, deleted: [] });
    expect(named.stderr).toContain('Uploaded data/batch_00000.parquet (');
    expect(await run(['--token', 'OTHER'], { OTHER: TOKEN })).toMatchObject({ code: 0 });
    const login = join(home, 'login');
    writeFileSync(login, `${TOKEN}\n`);
    const again = await run(['--tag', 'x'], { HF_TOKEN_PATH: login });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('1 file uploaded') as string });
    const none = await run([], {});
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('environment variable HF_TOKEN') as string });
    const literal = await run(['--token', 'hf_literal'], {});
    expect(literal).toMatchObject({ code: 2, stderr: expect.stringContaining('not the token itself') as string });
    const asJson = await run(['--token', 'hf_literal', '--json'], {});
    expect(JSON.stringify([literal, asJson])).not.toContain('hf_literal');
  },
);

test('a dataset of the Python tool is pushed to the same places', async () => {
  const folder = fileURLToPath(new URL('fixtures/python-0.9.7/made', import.meta.url));
  cpSync(folder, join(home, 'python'), { recursive: true });
  const { files } = await push({ dryRun: true }, await loadDataset(join(home, 'python')));
  expect(files.map(({ path }) => path)).toEqual([
    ...['0', '1', '2'].map((at) => `data/batch_0000${at}.parquet`),
    'builder_config.json',
    'metadata.json',
    'README.md',
  ]);
});
