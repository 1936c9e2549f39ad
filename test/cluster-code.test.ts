import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadDataset } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { NO_REDIS } from '../packages/cluster/test/start-redis.ts';
import { LIMIT_MS, type MachineCode, TestCluster, TestMachines } from '../packages/cluster/test/test-cluster.ts';

const ROWS = 12;
/** More row groups than one machine has open at a time. */
const LOOKED_AT = 100;
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

let cluster: TestCluster;
let machines: TestMachines;

beforeAll(async () => {
  if (!NO_REDIS) cluster = await TestCluster.start({ latency: 10 });
});

afterAll(() => cluster?.[Symbol.asyncDispose]());

beforeEach(() => {
  if (!NO_REDIS) machines = new TestMachines(cluster);
});

afterEach(async () => {
  await machines?.end();
  delete process.env.TMPDIR;
});

/** A sampler and a tool that tell the address of their module. */
const PLUGIN = `import { z } from ${JSON.stringify(import.meta.resolve('zod'))};
import { origin } from './lib/origin.mjs';
export const plugin = { samplers: [{
  type: 'origin', schema: z.strictObject({ samplerType: z.literal('origin').default('origin') }),
  value: undefined, statistics: 'text', example: {}, arrow: () => 'utf8',
  draw: () => () => origin(import.meta.url),
}] };
`;
const HELPER = 'export const origin = (address) => address;';
const TOOLS = `export const where = {
  name: 'where', description: 'Tells where it is.', parameters: { type: 'object', properties: {} },
  execute: (_, { log }) => { log(import.meta.url); return 'here'; },
};
`;

/** The modules of a machine, in a folder of its own. */
function codeOf(machine: string, { plugin = PLUGIN, tools = TOOLS, helper = HELPER } = {}): MachineCode {
  const folder = join(cluster.folder, machine);
  mkdirSync(join(folder, 'lib'), { recursive: true });
  writeFileSync(join(folder, 'lib/origin.mjs'), helper);
  const [pluginFile, toolsFile] = [join(folder, 'plugin.mjs'), join(folder, 'tools.mjs')];
  writeFileSync(pluginFile, plugin);
  writeFileSync(toolsFile, tools);
  return { plugins: [pluginFile], tools: [{ name: 'functions', providerType: 'local', module: toolsFile }] };
}

/** A config that uses both. */
const DOCUMENT = {
  model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'own', skip_health_check: true }],
  tool_configs: [{ tool_alias: 'kit', providers: ['functions'] }],
  columns: [
    { name: 'origin', column_type: 'sampler', sampler_type: 'origin', params: {} },
    { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
    {
      name: 'text',
      column_type: 'llm-text',
      model_alias: 'writer',
      tool_alias: 'kit',
      prompt: 'Of {{ id }}. Use the tool where.',
    },
  ],
};

describe.skipIf(NO_REDIS)(`the code of machines${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test('is found at the paths of each machine, and must be the same', { tags: 'long' }, async () => {
    const path = join(cluster.folder, 'made');
    const options = { numRecords: ROWS, datasetName: 'made', cluster: { work: false } };
    const created = machines.create({ document: DOCUMENT, source: 'the test' }, options, codeOf('first'));
    const lacks = async (code?: MachineCode) =>
      machines
        .join(path, {}, code)
        .catch(({ data }: { readonly data: { readonly lacks: readonly string[] } }) =>
          data.lacks.map((lack) => lack.replace(/ \(it has.*/, '')),
        );
    const changed = (name: string, code: Parameters<typeof codeOf>[1]) => lacks(codeOf(name, code));
    expect(await changed('other-plugin', { plugin: `${PLUGIN}// changed` })).toEqual(['the same plug-in 1']);
    expect(await changed('other-helper', { helper: `${HELPER}// changed` })).toEqual(['the same plug-in 1']);
    const tools = "module of the tools 'functions'";
    expect(await changed('other-tools', { tools: `${TOOLS}// changed` })).toEqual([`the same ${tools}`]);
    const plugin = `${PLUGIN}// changed`;
    const { plugins = [] } = codeOf('least', { plugin });
    // It lacks the tools' provider because it lacks their module.
    expect(await lacks({ plugins })).toEqual(['the same plug-in 1', `the ${tools}`, "the tool provider 'functions'"]);
    renameSync(join(cluster.folder, 'first/plugin.mjs'), join(cluster.folder, 'first/away.mjs'));
    expect(await lacks()).toEqual(['the plug-in 1', `the ${tools}`, "the tool provider 'functions'"]);
    renameSync(join(cluster.folder, 'first/away.mjs'), join(cluster.folder, 'first/plugin.mjs'));
    expect((await cluster.simulator.stats()).requests).toBe(0);
    const logged = new Set<string>();
    const joined = await machines.join(
      path,
      { onEvent: (event) => event.type === 'tool-log' && logged.add(event.message) },
      codeOf('second'),
    );
    expect(joined).toMatchObject({ isOver: true, rows: ROWS });
    expect((await created).count).toBe(ROWS);
    const rows = await Array.fromAsync((await loadDataset(path)).records());
    const own = (file: string) => pathToFileURL(join(cluster.folder, 'second', file)).href;
    expect(new Set(rows.map(({ origin }) => origin))).toEqual(new Set([own('plugin.mjs')]));
    expect([...logged]).toEqual([own('tools.mjs')]);
  });

  test('a machine that lacks something makes no rows, and those of the others are complete', async () => {
    const roots = join(cluster.folder, 'pictures');
    mkdirSync(roots);
    writeFileSync(join(roots, 'bee.png'), PNG, 'base64');
    const file = { name: 'file', column_type: 'sampler', sampler_type: 'category', params: { values: ['bee.png'] } };
    const seen = {
      name: 'seen',
      column_type: 'llm-text',
      model_alias: 'writer',
      prompt: 'What is in picture {{ id }}?',
      multi_modal_context: [{ column_name: 'file' }],
    };
    const document = { ...DOCUMENT, tool_configs: [], columns: [DOCUMENT.columns[1], file, seen] };
    const options = { numRecords: LOOKED_AT, datasetName: 'looked-at' };
    const created = machines.create({ document, source: 'the test' }, options, { mediaRoots: [roots] });
    await expect(machines.join(join(cluster.folder, 'looked-at'))).rejects.toMatchObject({
      code: 'cluster/lacks',
      data: { lacks: ['a media root (--media-root)'] },
    });
    expect(await created).toMatchObject({ count: LOOKED_AT, lost: [] });
  });

  test('a machine sees the images of earlier stages of a workflow', { tags: 'long' }, async () => {
    const painter = { ...DOCUMENT.model_configs[0], alias: 'painter', model: 'sim-image' };
    const model = { ...painter, inference_parameters: { generation_type: 'image' } };
    const [, id] = DOCUMENT.columns;
    const art = { name: 'art', column_type: 'image', model_alias: 'painter', prompt: 'Draw {{ id }}.' };
    const seen = {
      name: 'seen',
      column_type: 'llm-text',
      model_alias: 'writer',
      prompt: 'What is in picture {{ id }}?',
    };
    const looks = { ...seen, multi_modal_context: [{ column_name: 'art' }] };
    const declared = (columns: readonly unknown[], more: object = {}) => ({
      document: { model_configs: [...DOCUMENT.model_configs, model], columns, ...more },
      source: 'the test',
    });
    const created = machines.run(
      (designer) =>
        designer
          .composeWorkflow('pictures-of-stages')
          .addStage('draw', declared([id, art]))
          .addStage('look', declared([looks], { select: { unique: [{ exact: ['id'] }] } })),
      { numRecords: ROWS, cluster: { work: false } },
    );
    const joined = await machines.join(join(cluster.folder, 'pictures-of-stages'));
    const { stageResults } = await created;
    expect([...stageResults.values()].map(({ count, lost }) => [count, lost])).toEqual([
      [ROWS, []],
      [ROWS, []],
    ]);
    expect(joined.rows).toBe(2 * ROWS);
  });

  test(
    'each machine starts the servers of its own rows, and a machine without the server makes none',
    { tags: 'long' },
    async () => {
      const program = fileURLToPath(new URL('row-server.ts', import.meta.url));
      const notesOf = (machine: string) => join(cluster.folder, `notes-of-${machine}`);
      const withServer = (machine: string): MachineCode => {
        writeFileSync(notesOf(machine), '');
        const args = [program, '{{ row_dir }}', notesOf(machine), 'reads'];
        return {
          tools: [{ name: 'counting', providerType: 'stdio', command: process.execPath, args }],
          openGroups: 1,
        };
      };
      const document = {
        environments: [
          { name: 'counter', kind: 'mcp', provider: 'counting', files: { 'start.txt': '{{ id }}' }, max_rows: 2 },
        ],
        tool_configs: [{ tool_alias: 'row-tools', providers: ['counter'] }],
        columns: [
          DOCUMENT.columns[1],
          {
            name: 'done',
            column_type: 'tool-calls',
            tool_alias: 'row-tools',
            calls: '[{"name": "add", "arguments": {"by": 5}}, {"name": "add", "arguments": {"by": 2}}]',
          },
        ],
      };
      const temporary = join(cluster.folder, 'tmp');
      mkdirSync(temporary);
      process.env.TMPDIR = temporary;
      const rows = 2 * ROWS;
      const options = { numRecords: rows, datasetName: 'counted', cluster: { work: false } };
      const created = machines.create({ document, source: 'the test' }, options, withServer('coordinator'));
      const path = join(cluster.folder, 'counted');
      await expect(machines.join(path)).rejects.toMatchObject({
        code: 'cluster/lacks',
        data: { lacks: ["the tool provider 'counting'"] },
      });
      const made = await Promise.all(['one', 'two'].map((machine) => machines.join(path, {}, withServer(machine))));
      expect(await created).toMatchObject({ count: rows, lost: [] });
      const records = await Array.fromAsync((await loadDataset(path)).records());
      for (const { id, done, done__state: state } of records as readonly Record<string, unknown>[]) {
        expect(state).toEqual({ 'start.txt': id });
        const results = JSON.stringify(done).replaceAll(/[\\\s]/g, '');
        expect(results).toContain(`"count":5,"file":"${String(id)}"`);
        expect(results).toContain(`"count":7,"file":"${String(id)}"`);
      }
      for (const [at, machine] of ['one', 'two'].entries()) {
        const starts = readFileSync(notesOf(machine), 'utf8').match(/ start$/gm) ?? [];
        expect(made[at]?.rows).toBeGreaterThan(0);
        expect(starts.length).toBeGreaterThanOrEqual(made[at]?.rows ?? 0);
      }
      expect(readdirSync(temporary).filter((name) => name.startsWith('data-designer-rows-'))).toEqual([]);
    },
  );
});
