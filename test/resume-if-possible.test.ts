import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSimulator } from '@data-designer/simulator';
import { runCommand } from './command-line.ts';

let folder: string;
let config: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'if-possible-'));
  config = join(folder, 'config.yaml');
  writeFileSync(config, 'columns:\n  - {name: id, column_type: sampler, sampler_type: uuid, params: {}}\n');
});

afterEach(() => rmSync(folder, { recursive: true }));

function create(rows: number, ...more: string[]) {
  return runCommand(['create', config, '-n', `${rows}`, '-o', folder, '-d', 'made', '--json', ...more]);
}

/** The events of a type that a command with --json told on standard error. */
function told(stderr: string, type: string): unknown[] {
  const events = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string });
  return events.filter((event) => event.type === type);
}

const datasets = () => readdirSync(folder).filter((name) => name.startsWith('made'));

test('if_possible starts a new dataset or continues the existing one, in upper or lower case', async () => {
  const begun = await create(4, '-r', 'IF_POSSIBLE', '--seed', '3');
  expect(begun.code).toBe(0);
  expect(told(begun.stderr, 'run-start')).toMatchObject([{ rows: 4, rowsDone: 0 }]);
  expect(told(begun.stderr, 'resume-fail')).toEqual([]);
  const grown = await create(6, '-r', 'If-Possible');
  expect(told(grown.stderr, 'run-start')).toMatchObject([{ rows: 6, rowsDone: 4 }]);
  expect(told(grown.stderr, 'resume-fail')).toEqual([]);
  expect(JSON.parse(grown.stdout)).toMatchObject({ records: 6 });
  expect(datasets()).toEqual(['made']);
});

test('a dataset that cannot be continued stays unchanged, and the new run reports why', async () => {
  await create(4, '--seed', '3');
  const before = readFileSync(join(folder, 'made', 'run.json'), 'utf8');
  const other = await create(2, '-r', 'if_possible');
  expect(other.code).toBe(0);
  const reason = expect.stringContaining('it was started with 4 rows') as string;
  expect(told(other.stderr, 'resume-fail')).toEqual([{ type: 'resume-fail', path: join(folder, 'made'), reason }]);
  const { path, records } = JSON.parse(other.stdout) as { path: string; records: number };
  expect(records).toBe(2);
  expect(told(other.stderr, 'run-start')).toMatchObject([{ path, rows: 2, rowsDone: 0 }]);
  expect(path).toMatch(/made_\d\d-\d\d-\d{4}_\d{6}$/);
  expect(readFileSync(join(folder, 'made', 'run.json'), 'utf8')).toBe(before);
  const reseeded = await create(4, '-r', 'if_possible', '--seed', '4');
  expect(told(reseeded.stderr, 'resume-fail')).toMatchObject([{ reason: 'its seed is 3, not 4' }]);
  expect(datasets()).toHaveLength(3);
});

test('a damaged or locked dataset is a failure, and no new one is started', async () => {
  await create(4);
  // Its copy would restore it.
  rmSync(join(folder, 'made', 'run.copy.json'));
  writeFileSync(join(folder, 'made', 'run.json'), '{"version"');
  const damaged = await create(4, '-r', 'if_possible');
  expect(JSON.parse(damaged.stdout)).toMatchObject({ error: { code: 'dataset/damaged' } });
  writeFileSync(join(folder, 'made', '.lock'), JSON.stringify({ pid: 1, host: 'elsewhere', started: 'now' }));
  const locked = await create(4, '-r', 'if_possible');
  expect(JSON.parse(locked.stdout)).toMatchObject({ error: { code: 'dataset/locked' } });
  expect(datasets()).toEqual(['made']);
  expect(existsSync(join(folder, 'made', '.lock'))).toBe(true);
});

test('an unknown resume mode is a usage error that lists the modes', async () => {
  const { code, stdout } = await create(1, '-r', 'maybe');
  expect(code).toBe(2);
  expect(stdout).toContain('never, always, if_possible');
});

test(
  'a run without rows leaves its folder to the next one, and a diverted folder is reported first and last',
  { tags: 'long' },
  async () => {
    await using simulator = await startSimulator('--api-key', 'right');
    const [asking, providers] = [join(folder, 'asking.json'), join(folder, 'providers.json')];
    const columns = [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
      { name: 'fact', column_type: 'llm-text', model_alias: 'writer', prompt: 'A fact on {{ id }}.' },
    ];
    const models = [{ alias: 'writer', model: 'sim-small', provider: 'local', skip_health_check: true }];
    writeFileSync(asking, JSON.stringify({ model_configs: models, columns }));
    const provide = (key: string) =>
      writeFileSync(
        providers,
        JSON.stringify({ providers: [{ name: 'local', endpoint: simulator.url, api_key: key }] }),
      );
    const makeArgs = ['create', asking, '--providers', providers, '-o', folder, '-d', 'made'];
    const make = (...more: string[]) => runCommand([...makeArgs, '-n', '3', ...more]);
    provide('wrong');
    expect((await make()).code).toBe(1);
    expect(datasets()).toEqual(['made']);
    provide('right');
    const made = await make('--json');
    expect(made.code).toBe(0);
    expect(told(made.stderr, 'folder-reuse')).toEqual([
      { type: 'folder-reuse', path: join(folder, 'made'), hasFailures: false },
    ]);
    expect(JSON.parse(made.stdout)).not.toHaveProperty('divertedFrom');
    const begun = { requestedNumRecords: 3, actualNumRecords: 3, isPartial: false, earlyShutdown: false };
    const datasetPath = join(folder, 'made');
    expect(JSON.parse(made.stdout)).toMatchObject({ ...begun, datasetPath, effectiveResumeMode: 'never' });
    const more = await runCommand([...makeArgs, '-n', '4', '-r', 'if_possible', '--json']);
    const grown = { requestedNumRecords: 4, actualNumRecords: 4, datasetPath, effectiveResumeMode: 'always' };
    expect(JSON.parse(more.stdout)).toMatchObject(grown);
    expect(datasets()).toEqual(['made']);
    const beside = await make();
    const said = `${join(folder, 'made')} already contains a finished dataset of this config, so this one is saved in `;
    expect(beside.stderr.split('\n')[0]).toContain(said);
    expect(beside.stdout).not.toContain('already contains');
    const besideInJson = await make('--json');
    expect(told(besideInJson.stderr, 'folder-divert')).toMatchObject([
      { wanted: join(folder, 'made'), holds: 'finished' },
    ]);
    expect(JSON.parse(besideInJson.stdout)).toMatchObject({ divertedFrom: join(folder, 'made') });
  },
);
