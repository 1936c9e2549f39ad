import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { homeFolder, readHome } from '@data-designer/config';
import type { Violation } from '@data-designer/core';
import { DatasetMaker } from './dataset-maker.ts';
import { RunWarnings } from './run-warnings.ts';

let folder: string;
let told: Violation[];
let maker: DatasetMaker;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-warnings-'));
  told = [];
  const home = {
    ...readHome(homeFolder({ DATA_DESIGNER_HOME: join(folder, 'home') })),
    warnings: ['The home is old.'],
  };
  const common = { home, onWarning: (warning: Violation) => void told.push(warning) };
  maker = new DatasetMaker({ common, artifactPath: folder, maxRecords: 10 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const MODEL = { alias: 'writer', model: 'sim-small', provider: 'simulator' };
const REQUEST = {
  declaration: {
    source: 'made.yaml',
    document: {
      model_configs: [MODEL, MODEL],
      columns: [
        { name: 'n', column_type: 'sampler', sampler_type: 'uniform', params: { low: 0, high: 1 } },
        { name: 'odd', column_type: 'expression', expr: '{{ 1 // (n | int) }}', on_failure: 'null' },
      ],
    },
  },
  options: { numRecords: 3 },
  settings: {},
};

const OF_THE_CONFIG = [expect.stringContaining('home is old'), expect.stringMatching(/model_configs.*'writer'/)];
const OF_THE_RECORDS = expect.stringContaining("3 cells of column 'odd' failed");

test('a preview has the warnings of the settings, the config and its records', async () => {
  const { warnings } = await maker.preview(REQUEST, new AbortController().signal);
  expect(warnings).toEqual([...OF_THE_CONFIG, OF_THE_RECORDS]);
  expect(told).toHaveLength(1);
});

test('a dataset has the warnings of its config from its start, and those of its run', async () => {
  const job = await maker.start({ ...REQUEST, options: { numRecords: 3, datasetName: 'made' } });
  expect(job.state.warnings.slice(0, 2)).toEqual(OF_THE_CONFIG);
  await job.ended;
  expect(job.state.warnings).toEqual([...OF_THE_CONFIG, OF_THE_RECORDS]);
  writeFileSync(join(folder, 'made', 'metadata.json'), '{');
  const resumed = await maker.start({ ...REQUEST, options: { numRecords: 3, datasetName: 'made', resume: 'always' } });
  await resumed.ended;
  expect(resumed.state.warnings).toEqual([
    ...OF_THE_CONFIG,
    expect.stringContaining('it is rebuilt from the other files'),
    OF_THE_RECORDS,
  ]);
});

test('warnings have a maximum, and none is there twice', () => {
  const warnings = new RunWarnings();
  for (let line = 0; line < 300; line++) warnings.addEvent({ type: 'merge-fail', reason: `part ${line % 150}.` });
  warnings.addEvent({ type: 'tool-log', provider: 'p', tool: 't', message: 'm' } as never);
  expect(warnings.texts).toHaveLength(101);
  expect(warnings.texts.at(-1)).toBe('There are 50 more warnings.');
});

test('a client is told how lost rows are made again, and nothing where none are lost', () => {
  const warnings = new RunWarnings();
  warnings.addLostRows({ describeLostRows: () => null });
  expect(warnings.texts).toEqual([]);
  warnings.addLostRows({ describeLostRows: (how) => `2 lost rows can be made again: ${how}` });
  expect(warnings.texts).toEqual([
    '2 lost rows can be made again: start_dataset with the same config, resume: always and retry_lost: true.',
  ]);
});
