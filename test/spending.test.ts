import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { runCommand } from './command-line.ts';

interface Price {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/** What one request took, as the simulator logs it once it has ended. */
interface Logged {
  readonly model?: string;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
}

const ROWS = 16;
/** Per million tokens; the first stands in the config, the second in a file of LiteLLM's form. */
const PRICES: Readonly<Record<string, Price>> = {
  'sim-small': { input: 3, output: 15, cached: 0.3 },
  'sim-large': { input: 10, output: 40, cached: 2.5 },
};
const LITELLM = {
  sample_spec: { input_cost_per_token: 1, output_cost_per_token: 1 },
  'sim-large': {
    input_cost_per_token: 10e-6,
    output_cost_per_token: 40e-6,
    cache_read_input_token_cost: 2.5e-6,
    litellm_provider: 'counted',
    mode: 'chat',
  },
};
/** What the providers of a run are not asked before it, so that the log holds nothing else. */
const PLAIN = { provider: 'counted', skip_health_check: true, structured_output: false };
const CONFIG = {
  model_configs: [
    { alias: 'writer', model: 'sim-small', ...PLAIN, pricing: { input: 3, output: 15, cached_input: 0.3 } },
    { alias: 'judge', model: 'sim-large', ...PLAIN },
  ],
  tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'] }],
  columns: [
    { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
    {
      name: 'fact',
      column_type: 'llm-text',
      model_alias: 'writer',
      tool_alias: 'facts',
      prompt: 'Say {{ id }} with the tool get_fact.',
    },
    {
      name: 'quiz',
      column_type: 'llm-structured',
      model_alias: 'judge',
      prompt: 'A quiz on {{ fact }}',
      output_format: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
    },
  ],
};

let folder: string;
let log: string;
let simulator: RunningSimulator;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spending-'));
  log = join(folder, 'log.ndjson');
  write('config.json', CONFIG);
  write('prices.json', LITELLM);
  write('settings.json', { buffer_size: 6 });
});

afterEach(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function write(name: string, value: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify(value));
}

async function start(...flags: string[]): Promise<void> {
  simulator = await startSimulator('--log', log, '--retry-after', '0.05', ...flags);
  write('providers.json', { providers: [{ name: 'counted', endpoint: simulator.url }] });
}

function create(...more: string[]) {
  const at = (name: string) => join(folder, name);
  const files = ['--providers', at('providers.json'), '-c', at('settings.json')];
  const flags = ['-n', `${ROWS}`, '-o', folder, '-d', 'paid', '--seed', '4', '--json', ...files];
  return runCommand(['create', at('config.json'), ...flags, ...more]);
}

const withPrices = (...more: string[]) => create('--prices', join(folder, 'prices.json'), ...more);

type Report = {
  readonly records: number;
  readonly cost: number | null;
  readonly ended: { readonly code: string } | null;
  readonly effectiveResumeMode: string;
  readonly usage: Readonly<Record<string, { readonly cost: number | null; readonly requests: number }>>;
};

function reportOf(stdout: string): Report {
  return JSON.parse(stdout) as Report;
}

function metadata(): Pick<Report, 'cost' | 'usage'> {
  return JSON.parse(readFileSync(join(folder, 'paid', 'metadata.json'), 'utf8')) as Report;
}

function logged(): Logged[] {
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Logged);
}

/** What the simulator's own log adds up to once all its requests are in it. */
async function costOfLog(): Promise<number> {
  const { requests } = await simulator.stats();
  await expect.poll(() => logged().length).toBe(requests);
  return logged().reduce((sum, entry) => sum + costOf(entry), 0);
}

function costOf({ model = '', promptTokens, cachedTokens, completionTokens }: Logged): number {
  const { input = 0, output = 0, cached = 0 } = PRICES[model] ?? {};
  return ((promptTokens - cachedTokens) * input + cachedTokens * cached + completionTokens * output) / 1e6;
}

test('the cost in --json, metadata.json and the server log agrees, also with failures', { tags: 'long' }, async () => {
  await start('--faults', '503=0.1,wrong-schema=0.2,truncate=0.02');
  const { code, stdout, stderr } = await withPrices();
  expect(stderr).not.toContain('Error');
  expect(code).toBe(0);
  const { cost, usage, records } = reportOf(stdout);
  expect(records).toBe(ROWS);
  expect(cost).toBeGreaterThan(0);
  expect(cost).toBeCloseTo(await costOfLog(), 12);
  expect(metadata()).toEqual({ ...metadata(), cost, usage });
  const { requests } = await simulator.stats();
  expect(Object.values(usage).reduce((sum, one) => sum + one.requests, 0)).toBe(requests);
});

test('a run with an unpriced model has no cost and says so', { tags: 'long' }, async () => {
  await start();
  const { stdout } = await create('-n', '5');
  const { cost, usage } = reportOf(stdout);
  expect(cost).toBe(null);
  expect(usage.judge?.cost).toBe(null);
  expect(usage.writer?.cost).toBeGreaterThan(0);
  expect(metadata()).toMatchObject({ cost: null, usage });
});

test(
  'a spent budget ends the run, and a higher one resumes it without repeated requests',
  { tags: 'long' },
  async () => {
    await start('--latency', '10');
    const first = await withPrices('--max-cost', '0.01');
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(/Warning \[run\/budget-spent\]: .* saved; continue with: .* --resume always/);
    expect(reportOf(first.stdout).ended?.code).toBe('run/budget-spent');
    const { answers } = await simulator.stats();
    expect(await costOfLog()).toBeGreaterThanOrEqual(0.01);

    const second = await withPrices('--max-cost', '0.01', '-r', 'always');
    const { ended, effectiveResumeMode, ...made } = reportOf(second.stdout);
    expect(effectiveResumeMode).toBe('always');
    expect(reportOf(first.stdout)).toMatchObject(made);
    expect(ended?.code).toBe('run/budget-spent');
    expect((await simulator.stats()).answers).toBe(answers);

    const last = await withPrices('--max-cost', '1000', '-r', 'always');
    expect(last.stderr).not.toContain('Error');
    const { cost, usage, records } = reportOf(last.stdout);
    expect(records).toBe(ROWS);
    expect((await simulator.stats()).boughtTwice).toBe(0);
    expect((await simulator.stats()).answers).toBeGreaterThan(answers);
    expect(cost).toBeCloseTo(await costOfLog(), 12);
    expect(metadata()).toMatchObject({ cost, usage });
  },
);

test('priced models count toward the budget of a resumed run with unpriced ones', { tags: 'long' }, async () => {
  await start();
  expect((await create('-n', '6')).code).toBe(0);
  const spent = metadata().usage.writer?.cost as number;
  const { answers } = await simulator.stats();
  const { code, stdout } = await create('-r', 'always', '--strict', '--max-cost', String(spent / 2));
  expect(code).toBe(3);
  expect(reportOf(stdout)).toMatchObject({ records: 6, ended: { code: 'run/budget-spent' } });
  expect((await simulator.stats()).answers).toBe(answers);
});

test('a budget that cannot be kept is refused before the first request, a partial one warns', async () => {
  await start();
  const partly = await create('-n', '2', '--max-cost', '1000');
  expect(partly.code).toBe(0);
  expect(partly.stderr).toMatch(/run_config\.max_cost: no price is known for 'judge'.*--prices/);
  const { requests } = await simulator.stats();
  const [writer, judge] = CONFIG.model_configs as readonly (object & { pricing?: unknown })[];
  write('config.json', { ...CONFIG, model_configs: [{ ...writer, pricing: undefined }, judge] });
  const none = await create('-n', '2', '-d', 'other', '--max-cost', '1000');
  expect(none.code).toBe(1);
  expect(JSON.parse(none.stdout)).toMatchObject({
    error: {
      code: 'config/invalid',
      violations: expect.arrayContaining([
        expect.objectContaining({
          path: '--max-cost',
          message: expect.stringMatching(/the budget cannot be enforced.*'writer', 'judge'/) as string,
          remedy: expect.stringContaining('--prices') as string,
        }),
      ]) as object,
    },
  });
  expect((await simulator.stats()).requests).toBe(requests);
});

test('the cost of an extended dataset includes its earlier rows', { tags: 'long' }, async () => {
  await start();
  await withPrices('-n', '6');
  const before = metadata().cost as number;
  const { stdout } = await withPrices('-r', 'always');
  const { cost } = reportOf(stdout);
  expect(cost).toBeGreaterThan(before);
  expect(cost).toBeCloseTo(await costOfLog(), 12);
  const again = reportOf((await withPrices('-r', 'always')).stdout);
  expect(again.cost).toBe(cost);
});

test('a row group left by a server outage is counted once', { tags: 'long' }, async () => {
  await start();
  const judge = { ...CONFIG.model_configs[1], provider: 'other' };
  write('config.json', { ...CONFIG, model_configs: [CONFIG.model_configs[0], judge] });
  const counted = { name: 'counted', endpoint: simulator.url };
  const down = await startSimulator('--faults', '503=1', '--retry-after', '0.05');
  write('providers.json', { providers: [counted, { name: 'other', endpoint: down.url }] });
  const failed = await withPrices('-n', '5');
  await down[Symbol.asyncDispose]();
  expect(JSON.parse(failed.stdout)).toMatchObject({ error: { code: 'run/no-rows' } });
  expect((await simulator.stats()).answers).toBeGreaterThan(0);

  write('providers.json', { providers: [counted, { ...counted, name: 'other' }] });
  const { cost, records } = reportOf((await withPrices('-n', '5', '-r', 'always')).stdout);
  expect(records).toBe(5);
  expect((await simulator.stats()).boughtTwice).toBe(0);
  expect(cost).toBeCloseTo(await costOfLog(), 12);
});
