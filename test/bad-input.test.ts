import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataDesigner } from './command-line.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bad-input-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** A good declaration, and what to change in it. */
function config(changes: { column?: object; top?: object; tools?: object } = {}): string {
  return JSON.stringify({
    model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
    tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'], ...changes.tools }],
    columns: [
      { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: ['moon', 'salt'] } },
      {
        name: 'answer',
        column_type: 'llm-text',
        model_alias: 'writer',
        prompt: 'About {{ topic }}.',
        ...changes.column,
      },
    ],
    ...changes.top,
  });
}

let runs = 0;

/** Runs `create` on a config of its own, into a folder of its own; `left` is what the run left there. */
async function create(text: string, ...more: string[]) {
  const file = join(folder, 'config.json');
  const out = join(folder, `out-${runs++}`);
  await writeFile(file, text);
  const finished = await dataDesigner(['create', file, '-n', '2', '-o', out, '-d', 'bad', ...more]);
  return { ...finished, left: existsSync(out) ? readdirSync(out) : [] };
}

const CASES: readonly [string, string, readonly string[]][] = [
  [
    'an unknown key, with the nearest one',
    config({ column: { tool_allias: 'facts' } }),
    ['columns[1].tool_allias', "unknown key 'tool_allias'", "Did you mean 'tool_alias'?"],
  ],
  ['an unknown key at the top', config({ top: { colums: [] } }), ["colums: unknown key 'colums'", "'columns'"]],
  [
    'an unknown key in parameters',
    config({
      top: { columns: [{ name: 'a', column_type: 'sampler', sampler_type: 'category', params: { value: [1] } }] },
    }),
    ['columns[0].params.value:', 'has 1 mistake', "Did you mean 'values'?"],
  ],
  [
    'an unknown model alias',
    config({ column: { model_alias: 'writter' } }),
    ['columns[1].model_alias', "'writter'", "Did you mean 'writer'?"],
  ],
  [
    'an unknown tool alias',
    config({ column: { tool_alias: 'fact' } }),
    ['columns[1].tool_alias', "'fact'", "Did you mean 'facts'?"],
  ],
  [
    'an unknown provider',
    config({ tools: { providers: ['demo-tool'] }, column: { tool_alias: 'facts' } }),
    ['tool_configs[0].providers[0]', "Did you mean 'demo-tools'?", '--providers'],
  ],
  [
    'a prompt that names no existing column',
    config({ column: { prompt: 'About {{ topik }}.' } }),
    ['columns[1].prompt', "there is no column 'topik'", "Did you mean 'topic'?"],
  ],
  [
    'an unknown column type',
    config({ column: { column_type: 'llm_text' } }),
    ['columns[1].column_type', "no column type 'llm_text'", "Did you mean 'llm-text'?"],
  ],
  [
    'an unknown sampler type',
    config({ top: { columns: [{ name: 'a', column_type: 'sampler', sampler_type: 'categorie', params: {} }] } }),
    ['columns[0].sampler_type', "'categorie'", "did you mean 'category'"],
  ],
  ['a template that does not parse', config({ column: { prompt: 'About {{ topic }.' } }), ['columns[1]', 'line 1']],
  [
    'a column of the name of a side effect',
    config({
      column: { with_trace: true },
      top: {
        columns: [
          { name: 'a', column_type: 'sampler', sampler_type: 'category', params: { values: [1] } },
          { name: 'b', column_type: 'llm-text', model_alias: 'writer', prompt: '{{ a }}', with_trace: true },
          { name: 'b__trace', column_type: 'expression', expr: '{{ a }}' },
        ],
      },
    }),
    ['columns[2].name', "'b__trace' is also written by 'b'"],
  ],
  [
    'six mistakes of six kinds, all at once',
    config({
      top: {
        columns: [
          { name: 'a', column_type: 'sampler', sampler_type: 'uniform', params: { low: 3, high: 1 } },
          { name: 'b', column_type: 'expression', expr: '{{ ghost }}', colour: 'red' },
          { name: 'c', column_type: 'expression', expr: '{{ spook }}' },
          { name: 'd', column_type: 'llm-text', model_alias: 'nobody', prompt: '{{ a|tojson }}' },
          { name: 'e', column_type: 'expression', expr: '{{ f }}' },
          { name: 'f', column_type: 'expression', expr: '{{ e' },
        ],
      },
    }),
    [
      'has 6 mistakes',
      'columns[0].params.low',
      'columns[1].colour',
      "'spook'",
      "'nobody'",
      "'tojson'",
      'columns[5].expr: Template syntax error',
    ],
  ],
  [
    'columns that wait for each other',
    config({
      top: {
        columns: [
          { name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: '{{ b }}' },
          { name: 'b', column_type: 'llm-text', model_alias: 'writer', prompt: '{{ a }}' },
        ],
      },
    }),
    ['a -> b -> a'],
  ],
  [
    'an allow-list that allows nothing',
    config({ tools: { allow_tools: [] }, column: { tool_alias: 'facts' } }),
    ['tool_configs[0].allow_tools', 'the list of allowed tools is empty'],
  ],
  [
    'a sampler that reads what a model writes',
    config({
      top: {
        columns: [
          { name: 'late', column_type: 'llm-text', model_alias: 'writer', prompt: 'A word.' },
          {
            name: 'sub',
            column_type: 'sampler',
            sampler_type: 'subcategory',
            params: { category: 'late', values: { a: ['x'] } },
          },
        ],
      },
    }),
    ['columns[1].params.category', "'late' does not use the category sampler"],
  ],
  ['a file that is empty', '   ', ['it is empty']],
  ['a file with a slip before the end of a line', '{"columns": tru\n}', ['is not valid JSON.']],
  [
    'a file of remarks alone',
    'null',
    ['has 1 mistake:\na config must be a mapping of keys to values, but this is null'],
  ],
  ['a file that is not JSON', '{"columns": [', ['config.json']],
];

test.each(CASES)('%s is reported before anything is written', async (_, text, said) => {
  const { code, stderr, stdout, left } = await create(text);
  for (const words of said) expect(stderr).toContain(words);
  expect(stdout).toBe('');
  expect(code).toBe(1);
  expect(left).toEqual([]);
});

test('all mistakes are reported at once', async () => {
  const { code, stderr } = await create(
    config({ column: { model_alias: 'nobody', tool_alias: 'nothing', prompt: '{{ nowhere }}' } }),
  );
  expect(code).toBe(1);
  expect(stderr).toContain('3 mistakes');
});

test('a missing config is an error', async () => {
  const { code, stderr } = await dataDesigner(['create', join(folder, 'none.yaml')]);
  expect(stderr).toContain('none.yaml: there is no such file');
  expect(code).toBe(1);
});

test('a config path and a media root below a file are errors', async () => {
  const file = join(folder, 'no-folder');
  await writeFile(file, config());
  const below = await dataDesigner(['validate', join(file, 'config.yaml')]);
  expect(below.stderr).toMatch(
    /^Error \[config\/unreadable\]: .*config\.yaml: a part of the path is a file, not a folder\.\n$/,
  );
  const missing = await dataDesigner(['preview', file, '--media-root', join(folder, 'none')]);
  expect(missing.stderr).toMatch(
    /^Error \[dataset\/no-media-root\]: .*there is no such folder\. Use an existing folder.*\n$/,
  );
});

test('a missing stdio command is named, and no folder is left', async () => {
  const providers = join(folder, 'providers.yaml');
  await writeFile(
    providers,
    'providers:\n  - {name: demo-tools, provider_type: stdio, command: no-such-program-here}\n',
  );
  const { code, stderr, left } = await create(config({ column: { tool_alias: 'facts' } }), '--providers', providers);
  expect(stderr).toContain('[tool/unavailable]');
  expect(stderr).toContain('no-such-program-here');
  expect(code).toBe(1);
  expect(left).toEqual([]);
});

test('a folder without write permission is an error', async () => {
  const file = join(folder, 'a-file');
  await writeFile(file, 'x');
  const path = join(folder, 'config.json');
  await writeFile(path, config());
  const { code, stderr } = await dataDesigner(['create', path, '-o', join(file, 'out')]);
  expect(stderr).toContain('[dataset/unwritable]');
  expect(stderr).toContain('a part of the path is a file');
  expect(code).toBe(1);
});

test('an unreachable endpoint is named in the failure, and the exit code is not 0', async () => {
  const providers = join(folder, 'nobody.yaml');
  await writeFile(providers, 'providers:\n  - {name: simulator, endpoint: "http://127.0.0.1:9/v1"}\n');
  const fast = config({
    top: {
      model_configs: [{ alias: 'writer', model: 'm', provider: 'simulator', inference_parameters: { timeout: 1 } }],
    },
  });
  const { code, stderr } = await create(fast, '--providers', providers);
  expect(stderr).toContain('[model/unreachable]');
  expect(stderr).toContain("model 'simulator/m' has never responded: connect ECONNREFUSED 127.0.0.1:9");
  expect(code).toBe(1);
});

test('a missing key is named before the first request', async () => {
  const providers = join(folder, 'keyed.yaml');
  await writeFile(
    providers,
    'providers:\n  - {name: simulator, endpoint: "http://127.0.0.1:9/v1", api_key: "${NO_SUCH_KEY_HERE}"}\n',
  );
  const { code, stderr, left } = await create(config(), '--providers', providers);
  expect(stderr).toContain('[secret/missing]');
  expect(stderr).toContain('NO_SUCH_KEY_HERE');
  expect(code).toBe(1);
  expect(left).toEqual([]);
});

test.each([
  [['create'], 'missing required argument'],
  [['create', 'x.yaml', '-n', '0'], 'whole number, 1 or more'],
  [['create', 'x.yaml', '--no-such-flag'], 'unknown option'],
  [['frobnicate'], 'unknown command'],
  [['export', 'x', '-f', 'csv', '--column', 'a'], '--column needs -f chat-jsonl; the format is csv'],
])('the usage error %j ends with exit code 2', async (args, said) => {
  const { code, stderr } = await dataDesigner(args);
  expect(stderr).toContain(said);
  expect(code).toBe(2);
});
