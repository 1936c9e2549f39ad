import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, type DataDesignerOptions } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand } from './command-line.ts';

/** A picture of one point. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAACAAAB4iG8MwAAAABJRU5ErkJggg==';
const DATA = `data:image/png;base64,${PNG}`;

interface Part {
  readonly type: string;
  readonly image_url?: { readonly url: string };
}

let home: string;
let server: Server;
/** The pictures that each chat was shown. */
let shown: (readonly string[])[];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'media-'));
  shown = [];
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { messages = [] } = JSON.parse(Buffer.concat(pieces).toString()) as {
        readonly messages?: readonly { readonly content: string | readonly Part[] }[];
      };
      const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
      shown.push(parts.flatMap(({ image_url }) => image_url?.url ?? []));
      const message = { role: 'assistant', content: 'Seen.', images: [{ image_url: { url: DATA } }] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  rmSync(home, { recursive: true });
  await new Promise((resolve) => server.close(resolve));
});

const ANIMALS = ['bee', 'owl'];
const sampled = (name: string, values: readonly string[]) => ({
  name,
  column_type: 'sampler',
  sampler_type: 'category',
  params: { values },
});
const looks = (column: string, more: object = {}) => ({
  name: 'seen',
  column_type: 'llm-text',
  model_alias: 'm',
  prompt: 'Say what this is.',
  multi_modal_context: [{ modality: 'image', column_name: column }],
  ...more,
});

const looksAt = (path: string) => [sampled('file', [path]), looks('file')];

/** A declaration for the recording server. */
const recorded = (columns: readonly object[]) => ({
  source: 'test',
  document: {
    model_configs: [
      { alias: 'm', model: 'm', provider: 'recorder', skip_health_check: true },
      {
        alias: 'painter',
        model: 'p',
        provider: 'recorder',
        skip_health_check: true,
        inference_parameters: { generation_type: 'image' },
      },
    ],
    columns,
  },
});

function designerOf(options: DataDesignerOptions = {}): DataDesigner {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const unset = { apiKey: null, extraBody: null, extraHeaders: null };
  const providers = { models: [{ name: 'recorder', providerType: 'openai', endpoint, ...unset }], tools: [] };
  return new DataDesigner({ artifactPath: home, providers, runConfig: { seed: 1 }, ...options });
}

const painted = { name: 'art', column_type: 'image', model_alias: 'painter', prompt: 'Draw a {{ animal }}.' };
const again = { ...painted, name: 'ink', multi_modal_context: [{ modality: 'image', column_name: 'art' }] };

test('images are files of the dataset, and later columns receive the file', async () => {
  const columns = [sampled('animal', ANIMALS), painted, again, looks('ink')];
  const results = await designerOf().create(recorded(columns), { numRecords: 2, datasetName: 'd' });
  const rows = (await Array.fromAsync(results.records())) as unknown as readonly Record<string, readonly string[]>[];
  for (const { art = [], ink = [] } of rows) {
    for (const path of [...art, ...ink]) expect(readFileSync(join(home, 'd', path), 'base64')).toBe(PNG);
    expect([art.length, ink.length]).toEqual([1, 1]);
  }
  expect(readdirSync(join(home, 'd', 'images', 'art'))).toHaveLength(2);
  expect(shown.toSorted((a, b) => a.length - b.length)).toEqual([[], [], [DATA], [DATA], [DATA], [DATA]]);
});

test('in a preview images are Base64 text, which later columns receive', async () => {
  const columns = [sampled('animal', ANIMALS), painted, again];
  const results = await designerOf().preview(recorded(columns), { numRecords: 1 });
  expect(await Array.fromAsync(results.records())).toMatchObject([{ art: [PNG], ink: [PNG] }]);
  expect(shown).toEqual([[], [DATA]]);
  expect(readdirSync(home)).toEqual([]);
});

test('the image of a dropped column is made and kept with the dropped columns', async () => {
  const columns = [sampled('animal', ANIMALS), { ...painted, drop: true }, again];
  const results = await designerOf().create(recorded(columns), { numRecords: 1, datasetName: 'd' });
  expect((await Array.fromAsync(results.records())).map(Object.keys)).toEqual([['animal', 'ink']]);
  expect(readdirSync(join(home, 'd', 'dropped-columns-parquet-files'))).toEqual(['batch_00000.parquet']);
  expect(readdirSync(join(home, 'd', 'images', 'art'))).toHaveLength(1);
});

test('files of a media root are sent by absolute or relative path, also in a preview', async () => {
  const root = join(home, 'pictures');
  mkdirSync(root);
  writeFileSync(join(root, 'bee.png'), PNG, 'base64');
  const designer = designerOf({ mediaRoots: [root] });
  await designer.preview(recorded(looksAt('bee.png')), { numRecords: 1 });
  await designer.create(recorded(looksAt(join(root, 'bee.png'))), { numRecords: 1 });
  expect(shown).toEqual([[DATA], [DATA]]);
});

test('files outside the media roots are refused without a request', async () => {
  const root = join(home, 'pictures');
  mkdirSync(root);
  writeFileSync(join(home, 'secret.png'), PNG, 'base64');
  symlinkSync(join(home, 'secret.png'), join(root, 'link.png'));
  const paths = ['../secret.png', 'link.png', join(home, 'secret.png')];
  for (const path of paths) {
    const made = designerOf({ mediaRoots: [root] }).preview(recorded(looksAt(path)), { numRecords: 1 });
    await expect(made).rejects.toMatchObject({ code: 'run/no-rows' });
  }
  expect(shown).toEqual([]);
});

test('a missing media root is reported before the run', () => {
  expect(() => designerOf({ mediaRoots: [join(home, 'nowhere')] })).toThrow(/media root .*nowhere/);
});

/** A model of the simulator. */
const alias = (name: string, generation_type: string) => ({
  alias: name,
  model: `sim-${name}`,
  provider: 'simulator',
  inference_parameters: { generation_type },
});

test('--media-root names a folder, and the simulator makes images and vectors', { tags: 'long' }, async () => {
  writeFileSync(join(home, 'bee.png'), PNG, 'base64');
  const config = join(home, 'config.json');
  const document = {
    model_configs: [alias('m', 'chat-completion'), alias('image', 'image'), alias('embedding', 'embedding')],
    columns: [
      sampled('file', ['bee.png']),
      looks('file'),
      { ...painted, model_alias: 'image', prompt: 'Draw {{ file }}.' },
      { name: 'vector', column_type: 'embedding', model_alias: 'embedding', target_column: 'seen' },
    ],
  };
  writeFileSync(config, JSON.stringify(document));
  const { stdout, code } = await runCommand(['preview', config, '-n', '1', '--json', '--media-root', home]);
  expect(code).toBe(0);
  const { records } = JSON.parse(stdout) as { readonly records: readonly Record<string, unknown>[] };
  expect(records).toMatchObject([{ art: [expect.stringMatching(/^iVBORw0KGgo/)], vector: { num_embeddings: 1 } }]);
});
