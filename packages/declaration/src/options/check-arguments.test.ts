import { expect, expectTypeOf, test } from 'vitest';
import type {
  LocalStdioMCPProvider,
  MCPProvider,
  ModelConfig,
  ModelProvider,
  RunConfig,
  ToolConfig,
} from '../../../data-designer/src/index.ts';
import type { DataDesignerError } from '@data-designer/core';
import { DataDesignerConfigBuilder } from '../config-builder.ts';
import { DataDesigner } from '../../../designer/src/data-designer.ts';
import type { Declared } from '../declaration.ts';
import { customColumn, customProcessor, definePlugin, serveTools } from '../../../data-designer/src/index.ts';
import { parseProviders } from './given-providers.ts';

const DECLARED = {
  document: { columns: [{ name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} }] },
  source: 'the test',
};

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1.5, '5'])(
  'a call with numRecords %j is refused before anything is created',
  async (rows) => {
    await using designer = new DataDesigner({ artifactPath: '/nowhere' });
    const wanted = { numRecords: rows as number };
    const refusal = { code: 'config/invalid', message: expect.stringContaining(`is not a number of rows`) as string };
    await expect(designer.create(DECLARED, wanted)).rejects.toMatchObject(refusal);
    await expect(designer.preview(DECLARED, wanted)).rejects.toMatchObject(refusal);
    await expect(designer.validate(DECLARED, wanted)).rejects.toMatchObject(refusal);
  },
);

test('all invalid options are refused together', async () => {
  await using designer = new DataDesigner({ artifactPath: '/nowhere' });
  const options = { numRecords: 0, datasetName: 5, resume: 'sometimes', format: 'orc' } as object;
  const failure = await designer.create(DECLARED, options).then(undefined, (thrown: DataDesignerError) => thrown);
  expect((failure as DataDesignerError<'config/invalid'>).data.violations).toMatchObject([
    { path: 'numRecords', message: '0 is not a number of rows.' },
    { path: 'datasetName', message: '5 is not a folder name.' },
    { path: 'resume', remedy: 'Use one of: never, always, if_possible.' },
    { path: 'format', message: '"orc" is not a dataset format.' },
  ]);
});

const GIVEN: readonly (readonly [string, () => unknown, string])[] = [
  [
    'a path',
    () => 'facts.yaml',
    "config: 'facts.yaml' is not a declaration. Give a DataDesignerConfigBuilder; its fromConfig",
  ],
  ['nothing', () => undefined, 'config: undefined is not a declaration.'],
  ['a mapping', () => ({ columns: [] }), 'config: { columns: [] } is not a declaration.'],
  ['a promise', () => DataDesignerConfigBuilder.fromConfig('columns: []\n'), 'Wait for it first (await).'],
];

test.each(GIVEN)('preview, check and create refuse %s in place of a config', async (_, given, said) => {
  await using designer = new DataDesigner();
  const value = given();
  if (value instanceof Promise) value.catch(() => undefined);
  const declared = value as Declared;
  const refused = { code: 'config/invalid', message: expect.stringContaining(said) as string };
  await expect(designer.preview(declared)).rejects.toMatchObject(refused);
  await expect(designer.check(declared)).rejects.toMatchObject(refused);
  await expect(designer.create(declared)).rejects.toMatchObject(refused);
});

const violationsOf = (call: () => unknown): unknown => {
  try {
    call();
  } catch (thrown) {
    return (thrown as DataDesignerError<'config/invalid'>).data.violations;
  }
  return [];
};

test('an unknown option is refused with the nearest known one', async () => {
  const misspelt = { artifactsPath: './data', permissions: { localFile: true } } as object;
  expect(violationsOf(() => new DataDesigner(misspelt))).toMatchObject([
    {
      path: 'artifactsPath',
      message: "there is no option 'artifactsPath'.",
      remedy: expect.stringContaining("'artifactPath'"),
    },
    { path: 'permissions.localFile', remedy: expect.stringContaining("'localFiles'") },
  ]);
  await using designer = new DataDesigner();
  const rejected = designer.create(DECLARED, { num_records: 5 } as object);
  await expect(rejected).rejects.toThrow("there is no option 'num_records'. Did you mean 'numRecords'");
});

test(
  'a lease that machines cannot renew in time is refused, and so is a time that is no number',
  { tags: 'long' },
  async () => {
    await using designer = new DataDesigner();
    const connection = 'redis://127.0.0.1:1';
    const created = designer.create(DECLARED, { cluster: { connection, leaseSeconds: 0.9 } });
    await expect(created).rejects.toThrow('cluster.leaseSeconds: 0.9 is not a time in seconds. Use a number from 1');
    const joined = designer.join('none', { connection, waitSeconds: '10m' as unknown as number });
    await expect(joined).rejects.toThrow('waitSeconds: "10m" is not a time in seconds. Use a number from 0');
    // The shortest lease is accepted, and the Redis tried.
    const shortest = designer.create(DECLARED, { cluster: { connection, leaseSeconds: 1 } });
    await expect(shortest).rejects.toMatchObject({ code: 'cluster/unreachable' });
  },
);

test('providers need only what a file needs', () => {
  const models = [{ name: 'mine', endpoint: 'http://127.0.0.1:9/v1' }] satisfies ModelProvider[];
  const stdio = { name: 'local', command: 'node' } satisfies LocalStdioMCPProvider;
  const remote = { name: 'remote', endpoint: 'http://127.0.0.1:9/sse' } satisfies MCPProvider;
  const model = { alias: 'writer', model: 'large', provider: 'mine' } satisfies ModelConfig;
  const tools = { toolAlias: 'facts', providers: ['local'] } satisfies ToolConfig;
  const runConfig = { maxCost: 5 } satisfies RunConfig;
  expectTypeOf<{ maxCosts: number }>().not.toExtend<RunConfig>();
  expect(violationsOf(() => new DataDesigner({ providers: { models }, runConfig }))).toEqual([]);
  expect(violationsOf(() => new DataDesigner({ providers: { tools: [stdio, remote] } }))).toEqual([]);
  expect(new DataDesignerConfigBuilder().addModelConfig(model).addToolConfig(tools)).toBeDefined();
});

test('providers given in code are checked as those of a file', () => {
  const models = [{ name: 'mine', endpoint: 'http://127.0.0.1:9/v1', api_keys: 'x' }];
  const tools = [{ name: 'local', providerType: 'stdio' }];
  const violations = violationsOf(() => new DataDesigner({ providers: { models, tools } as object }));
  expect(violations).toMatchObject([{ path: 'providers.models[0].api_keys' }, { path: 'providers.tools[0].command' }]);
});

test('providers given in code get the defaults of a file, and a type by their keys', () => {
  const local = { name: 'own', providerType: 'local', tools: [] } as const;
  const tools = [local, { name: 'program', command: 'node' }, { name: 'remote', endpoint: 'http://127.0.0.1:9/sse' }];
  const { servers, local: own } = parseProviders({ models: [{ name: 'mine', endpoint: 'http://h/v1' }], tools }, 'it');
  expect(servers).toEqual({
    models: [
      {
        name: 'mine',
        endpoint: 'http://h/v1',
        providerType: 'openai',
        apiKey: null,
        extraBody: null,
        extraHeaders: null,
      },
    ],
    tools: [
      { name: 'program', providerType: 'stdio', command: 'node', args: [], env: {} },
      { name: 'remote', providerType: 'sse', endpoint: 'http://127.0.0.1:9/sse', apiKey: null },
    ],
  });
  expect(own).toEqual([local]);
});

const INVALID_TOOLS: readonly (readonly [unknown, object])[] = [
  [null, { path: 'providers.tools[0]' }],
  [{ name: 'x' }, { path: 'providers.tools[0].providerType' }],
  [{ name: 'x', providerTyp: 'stdio', command: 'node' }, { path: 'providers.tools[0].providerTyp' }],
  [{ name: 'x', providerType: 'local' }, { message: "expected either 'tools' or 'module'." }],
  [
    { name: 'x', providerType: 'local', tools: [], toolPrefx: 'a' },
    { path: 'providers.tools[0].toolPrefx', remedy: "Did you mean 'toolPrefix'?" },
  ],
];

test.each(INVALID_TOOLS)('the tool provider %j is refused as one mistake', (provider, expected) => {
  const providers = { tools: [provider] } as object;
  expect(violationsOf(() => new DataDesigner({ providers }))).toMatchObject([expected]);
});

const builder = (options: object) => () => new DataDesignerConfigBuilder(options);

test('the builder refuses unknown options, and names the nearest known one', () => {
  expect(builder({ modelConfig: [] })).toThrow("there is no option 'modelConfig'. Did you mean 'modelConfigs'?");
  expect(builder({ toolConfigs: 'search' })).toThrow('toolConfigs: "search" is not a list. Use a list.');
});

const empty = () => new DataDesignerConfigBuilder();
const MISSPELT: readonly (readonly [string, string, () => unknown])[] = [
  [
    'fromConfig',
    'allowPrivate',
    () => DataDesignerConfigBuilder.fromConfig('columns: []', { allowPrivat: true } as object),
  ],
  ['toDict', 'for', () => empty().toDict({ fo: 'python' } as object)],
  ['toYaml', 'for', () => empty().toYaml({ four: 'python' } as object)],
  ['toJson', 'for', () => empty().toJson({ fro: 'python' } as object)],
  ['writeConfig', 'for', () => empty().writeConfig('/nowhere/x.yaml', { form: 'python' } as object)],
  ['customColumn', 'requiredColumns', () => customColumn({ generate: () => ({}), requiredColumn: [] } as never)],
  ['customProcessor', 'stage', () => customProcessor({ name: 'p', stages: 'pre_batch', process: () => [] } as never)],
  ['definePlugin', 'columns', () => definePlugin({ column: [] } as object)],
  ['serveTools', 'port', () => serveTools([], { name: 'a', version: '1', transport: 'sse', prt: 1 } as never)],
  [
    'new DataDesigner',
    'home.models',
    () => new DataDesigner({ home: { model: [], toolConfigs: [], providers: {} } as never }),
  ],
];

test.each(MISSPELT)('%s refuses a misspelt option with the nearest known one, %s', async (call, known, misspelt) => {
  const failure = await (async () => misspelt())().then(
    undefined,
    (thrown: DataDesignerError<'config/invalid'>) => thrown,
  );
  const { message, data } = failure as DataDesignerError<'config/invalid'>;
  expect(message).toContain(call);
  expect(data.violations.map(({ remedy }) => remedy)).toContain(`Did you mean '${known.replace('home.', '')}'?`);
});

const missing = (path: string) => ({ data: { violations: [{ path, message: 'this option is missing.' }] } });

test('a call without a required option names it', async () => {
  await using designer = new DataDesigner();
  await expect(designer.rehearse(DECLARED, undefined as never)).rejects.toMatchObject(missing('numRecords'));
  await expect(serveTools([], { name: 'a', version: '1' } as never)).rejects.toMatchObject(missing('transport'));
  expect(() => customColumn({} as never)).toThrow('generate: this option is missing. Use a function.');
});

test("values of options outside the known ones are refused: a program to write for, a builder's origin", () => {
  expect(() => empty().toYaml({ for: 'pyton' } as object)).toThrow('for: "pyton" is not a program to write for.');
  expect(builder({ origin: 'here' })).toThrow('Use one of: local, address.');
});

test('an endpoint without http:// is refused where the providers are given', () => {
  const models = [{ name: 'mine', endpoint: 'localhost:8000/v1' }];
  const tools = [{ name: 'far', endpoint: 'host/mcp' }];
  expect(() => parseProviders({ models, tools }, 'it')).toThrow(
    /providers\.models\[0\]\.endpoint: .*'http:\/\/localhost:8000\/v1'[^]*providers\.tools\[0\]\.endpoint: .*'https:\/\/host\/mcp'/,
  );
  expect(parseProviders({ models: [{ name: 'mine', endpoint: '${URL}' }] }, 'it').servers.models).toHaveLength(1);
});
