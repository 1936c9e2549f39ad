import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder, loadDataset, loadWorkflow } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSimulator } from '@data-designer/simulator';

// The folders in fixtures/version-1 were made by version 1.0.0, and every later version reads them: never make them anew.
// `finished` has six rows with traces and two reviews. `interrupted` was killed before its two groups of four rows were
// finished; its journals hold 17 answers. `flow` is a workflow of two stages. `selected` has Arrow files, a selection,
// attempts, a dropped column and the table of a processor. `half-selected` is the same with 8 rows, killed before a candidate
// was finished; its journals hold 11 answers. `chats` has conversations with the tools of an environment.

const FIXTURES = 'test/fixtures/version-1';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'version-1-'));
  cpSync(FIXTURES, folder, { recursive: true });
});

afterEach(() => rmSync(folder, { recursive: true }));

function json(...path: readonly string[]): unknown {
  return JSON.parse(readFileSync(join(FIXTURES, ...path), 'utf8'));
}

test('the folders carry the version 1 in each of their formats', () => {
  for (const name of ['finished', 'interrupted', 'selected', 'half-selected', 'chats'])
    expect(json(name, 'run.json')).toMatchObject({ version: 1 });
  expect(json('half-selected', 'candidates', 'run.json')).toMatchObject({ version: 1 });
  expect(json('flow', 'workflow-metadata.json')).toMatchObject({ format_version: 1, library_version: '1.0.0' });
  const journal = readFileSync(join(FIXTURES, 'interrupted', 'journal', 'group_00000', '000001.journal'));
  expect(journal.subarray(0, 4).toString()).toBe('ddj1');
});

test('a finished dataset of version 1 is read with its traces, reviews, statistics and usage', async () => {
  const dataset = await loadDataset(join(folder, 'finished'));
  const records = await Array.fromAsync(dataset.records());
  expect(records).toHaveLength(6);
  for (const record of records) {
    expect(record).toMatchObject({
      topic: expect.stringMatching(/moon|salt|bees/),
      title: { title: expect.anything() },
    });
    expect(dataset.toolCalls(record)).toMatchObject([{ name: 'get_fact' }]);
  }
  expect(dataset.damages).toEqual([]);
  const reviews = await Array.fromAsync(dataset.reviews());
  expect(reviews).toMatchObject([
    { row: 1, verdict: 'accept', rating: 5, author: 'ada' },
    { row: 2, verdict: 'reject', comment: 'Off topic.', author: 'ada' },
  ]);
  expect((await dataset.loadAnalysis()).profile.columns.length).toBeGreaterThan(2);
  expect(dataset.usage['writer']).toMatchObject({ requests: 19 });
});

test('a dataset of version 1 with Arrow files and a selection is read with its attempts and side tables', async () => {
  const dataset = await loadDataset(join(folder, 'selected'));
  const records = await Array.fromAsync(dataset.records());
  expect(records).toHaveLength(6);
  for (const record of records) {
    expect(record).toMatchObject({ topic: expect.stringMatching(/moon|salt|bees/), tries__attempts: 2 });
    expect(record).not.toHaveProperty('hint');
    expect(record['tries__all']).toMatchObject([{ answer: record['answer'] }, { answer: expect.anything() }]);
  }
  expect((await dataset.toArrow()).numRows).toBe(6);
  const chats = await Array.fromAsync(dataset.loadProcessorDataset('chat'));
  expect(chats).toEqual(records.map(({ topic, answer }) => ({ about: topic, text: answer })));
  const dropped = await loadDataset(join(folder, 'selected', 'candidates'));
  expect(await dropped.toArrow()).toMatchObject({ numRows: 8 });
  expect(dataset.damages).toEqual([]);
});

test('the conversations and the states of an environment of version 1 are read', async () => {
  const dataset = await loadDataset(join(folder, 'chats'));
  const records = await Array.fromAsync(dataset.records());
  expect(records).toHaveLength(4);
  for (const record of records) {
    const roles = (record['chat'] as { role: string }[]).map(({ role }) => role);
    expect([roles.filter((role) => role === 'user').length, roles.at(-1)]).toEqual([2, 'assistant']);
    expect(record['chat__state']).toMatchObject({ account: [{ id: 'leo' }, { id: 'mia' }] });
  }
});

test.each([
  { name: 'interrupted', config: 'config.yaml', journaled: 17, needed: 24 },
  { name: 'half-selected', config: 'selection.yaml', journaled: 11, needed: 36 },
])(
  'the $name dataset of version 1 is continued, and no journaled answer is asked for again',
  { tags: 'long' },
  async ({ name, config: file, journaled, needed }) => {
    await using simulator = await startSimulator();
    const models = [{ name: 'local', endpoint: simulator.url }];
    await using designer = new DataDesigner({ artifactPath: folder, providers: { models }, runConfig: { seed: 1 } });
    const config = await DataDesignerConfigBuilder.fromConfig(join(folder, file));
    const results = await designer.create(config, {
      numRecords: 8,
      datasetName: name,
      resume: 'always',
    });
    expect(results.count).toBe(8);
    expect((await simulator.stats()).answers).toBe(needed - journaled);
  },
);

test(
  'a finished selection of version 1 gets more rows, and its candidates are not made again',
  { tags: 'long' },
  async () => {
    await using simulator = await startSimulator();
    const models = [{ name: 'local', endpoint: simulator.url }];
    await using designer = new DataDesigner({ artifactPath: folder, providers: { models }, runConfig: { seed: 1 } });
    const config = await DataDesignerConfigBuilder.fromConfig(join(folder, 'selection.yaml'));
    const before = await Array.fromAsync((await loadDataset(join(folder, 'selected'))).records());
    const results = await designer.create(config, { numRecords: 8, datasetName: 'selected', resume: 'always' });
    const records = await Array.fromAsync(results.records());
    expect(records).toHaveLength(8);
    expect(records.slice(0, 6)).toEqual(before);
    expect((await simulator.stats()).answers).toBe(0);
  },
);

test('a workflow of version 1 is read with the rows of its stages', async () => {
  const flow = await loadWorkflow(join(folder, 'flow'));
  expect([...flow.stageResults.keys()]).toEqual(['facts', 'questions']);
  expect(await Array.fromAsync(flow.records())).toHaveLength(3);
});
