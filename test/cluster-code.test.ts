import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadDataset } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { NO_REDIS } from '../packages/cluster/test/start-redis.ts';
import { LIMIT_MS, type MachineCode, TestCluster, TestMachines } from '../packages/cluster/test/test-cluster.ts';

const ROWS = 12;
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

afterEach(() => machines?.end());

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
  test('is found at the paths of each machine, and must be the same', async () => {
    const path = join(cluster.folder, 'made');
    const options = { numRecords: ROWS, datasetName: 'made', cluster: { work: false } };
    const created = machines.create({ document: DOCUMENT, source: 'the test' }, options, codeOf('first'));
    const changed = (name: string, code: Parameters<typeof codeOf>[1]) => machines.join(path, {}, codeOf(name, code));
    await expect(changed('other-plugin', { plugin: `${PLUGIN}// changed` })).rejects.toMatchObject({
      code: 'cluster/differs',
      data: { what: 'plug-in 1' },
    });
    await expect(changed('other-helper', { helper: `${HELPER}// changed` })).rejects.toMatchObject({
      code: 'cluster/differs',
      data: { what: 'plug-in 1' },
    });
    await expect(changed('other-tools', { tools: `${TOOLS}// changed` })).rejects.toMatchObject({
      code: 'cluster/differs',
      data: { what: "module of the tools 'functions'" },
    });
    await expect(machines.join(path)).rejects.toMatchObject({
      code: 'cluster/differs',
      message: expect.stringContaining("its module of the tools 'functions' is missing"),
    });
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
});
