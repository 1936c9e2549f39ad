import { createServer, type Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DataDesignerError } from '@data-designer/core';
import { readConfig, readStageConfig } from '../../packages/cli/src/flags/read-common-flags.ts';
import { DataDesigner } from '../../packages/designer/src/data-designer.ts';
import { addStages, readFlow } from '../../packages/workflow/src/flow-file.ts';

// A workflow in a file is data from strangers as a config is (DESIGN, "What a dataset config may do").

let folder: string;
let server: Server;
let origin: string;
/** The documents of the server, by path. */
const documents = new Map<string, string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-workflows-'));
  writeFileSync(join(folder, 'secrets.csv'), 'password\nhunter2\n');
  writeFileSync(join(folder, 'mine.yaml'), `columns: [${ID}]\n`);
  writeFileSync(join(folder, 'code.ts'), 'throw new Error("it ran");\n');
  server = createServer(({ url = '' }, response) => {
    const document = documents.get(url.replace(/\?.*$/, ''));
    response.writeHead(document === undefined ? 404 : 200).end(document);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const ID = '{ name: id, column_type: sampler, sampler_type: uuid, params: {} }';
const FLAGS = { allowPrivate: true, args: [] } as unknown as Parameters<typeof readConfig>[1];

/** Checks the workflow of a file or an address. */
async function checked(source: string) {
  const flow = await readFlow(await readConfig(source, FLAGS), (path) => readStageConfig(path, FLAGS));
  await using designer = new DataDesigner({ artifactPath: folder });
  return addStages(designer.composeWorkflow('hostile'), flow).check();
}

/** What is wrong with a workflow that an address returns. */
async function faultsOf(text: string): Promise<readonly (readonly [path: string, type: string])[]> {
  documents.set('/flows/flow.yaml', text);
  const failure = DataDesignerError.fromUnknown(await checked(`${origin}/flows/flow.yaml`).catch((thrown) => thrown));
  const { violations } = failure.data as { readonly violations: readonly { path: string; type: string }[] };
  return violations.map(({ path, type }) => [path, type]);
}

test('a stage of a workflow from an address reads no file of this machine as its seed', async () => {
  const seed = `seed_config: { source: { seed_type: local, path: ${join(folder, 'secrets.csv')} } }`;
  expect(await faultsOf(`stages: [{ name: all, config: { ${seed}, columns: [${ID}] } }]`)).toEqual([
    ['seed_config.source.path', 'local_file_refused'],
  ]);
});

test('the rules of a stage with an input compare its rows with no file of this machine', { tags: 'long' }, async () => {
  const select = `{ not_in: { files: [${join(folder, 'secrets.csv')}], column: id } }`;
  const first = `{ name: first, config: { columns: [${ID}] } }`;
  const own = `stages: [${first}, { name: next, select: ${select} }]`;
  expect(await faultsOf(own)).toEqual([['select.notIn.files[0]', 'local_file_refused']]);
  const inConfig = `stages: [${first}, { name: next, config: { columns: [], select: ${select} } }]`;
  expect(await faultsOf(inConfig)).toEqual([['select.not_in.files[0]', 'local_file_refused']]);
  documents.set('/rules.yaml', `{ columns: [], select: ${select} }`);
  const local = join(folder, 'flow.yaml');
  writeFileSync(local, `stages: [${first}, { name: next, config: "${origin}/rules.yaml" }]`);
  await expect(checked(local)).rejects.toThrow('may not read files on this machine');
});

test('a workflow from an address has its configs next to it, and its stages read those before them', async () => {
  documents.set('/flows/parts/id.yaml', `columns: [${ID}]`);
  documents.set('/flows/flow.yaml', 'stages: [{ name: first, config: parts/id.yaml }, { name: next }]');
  const stages = await checked(`${origin}/flows/flow.yaml?token=1`);
  expect(stages.map(({ columns }) => columns)).toEqual([['id'], ['id']]);
});

test.each(['/mine.yaml', '../../../../mine.yaml', 'file:///mine.yaml', 'C:\\mine.yaml'])(
  'a workflow from an address names no config of this machine: %s',
  async (config) => {
    documents.set(
      '/flow.yaml',
      JSON.stringify({ stages: [{ name: 'first', config: config.replace('/mine', `${folder}/mine`) }] }),
    );
    await expect(checked(`${origin}/flow.yaml`)).rejects.toMatchObject({ code: 'config/unreadable' });
  },
);

test('a workflow in a file runs no code', async () => {
  const local = join(folder, 'flow.yaml');
  writeFileSync(local, 'stages: [{ name: first, config: code.ts }]');
  await expect(checked(local)).rejects.toThrow('a workflow file may not name code');
});
