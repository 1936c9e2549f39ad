import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DataDesigner } from 'data-designer';
import type { MCPProvider } from '@data-designer/config';
import { startSimulator } from '@data-designer/simulator';
import { measure } from './measure.ts';
import type { BenchRow } from './spine.ts';
import { openGatewayCaller, openSdkCaller, type ToolCaller } from './tool-callers.ts';

const SERVER = fileURLToPath(new URL('../../mcp/test/trivial-server.ts', import.meta.url));
const IN_FLIGHT = 64;
const THREADS = 2;
/** Slices of each, by turns. */
const SLICES = 24;

/** What tool calls cost beside the SDK's own client, and whether waiting for tools keeps every permit in use. */
export async function tools(): Promise<readonly BenchRow[]> {
  return [...(await overStdio()), ...(await overHttp()), await idealShare()];
}

async function overStdio(): Promise<BenchRow[]> {
  const server = { command: process.execPath, args: [SERVER] };
  await using sdk = openSdkCaller({ ...server, inFlight: IN_FLIGHT });
  const provider: MCPProvider = { name: 'bench', providerType: 'stdio', env: {}, ...server };
  await using ours = await openGatewayCaller(provider, { inFlight: IN_FLIGHT, threads: THREADS });
  return await compare('stdio', { sdk, ours, slice: 20_000 });
}

async function overHttp(): Promise<BenchRow[]> {
  const child = spawn(process.execPath, [SERVER, 'http'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url }: { readonly url: string } = JSON.parse(line);
  try {
    await using sdk = openSdkCaller({ url, inFlight: IN_FLIGHT });
    const provider: MCPProvider = { name: 'bench', providerType: 'streamable_http', endpoint: url, apiKey: null };
    await using ours = await openGatewayCaller(provider, { inFlight: IN_FLIGHT, threads: THREADS });
    return await compare('streamable HTTP', { sdk, ours, slice: 1_024 });
  } finally {
    child.stdin.end();
  }
}

interface Comparison {
  readonly sdk: ToolCaller;
  readonly ours: ToolCaller;
  /** Calls without a pause. */
  readonly slice: number;
}

/**
 * Both by turns in short slices, the middle of each: a machine that is busy with something else is so for both. The
 * first quarter is warm-up.
 */
async function compare(transport: string, { sdk, ours, slice }: Comparison): Promise<BenchRow[]> {
  const rates: { readonly base: number; readonly own: number }[] = [];
  for (let count = 0; count < SLICES; count++) {
    const base = await rateOf(sdk, slice);
    rates.push({ base, own: await rateOf(ours, slice) });
  }
  const warm = rates.slice(SLICES / 4);
  const base = middle(warm.map((one) => one.base));
  const own = middle(warm.map((one) => one.own));
  const share = middle(warm.map((one) => one.own / one.base));
  const what = `(a) ${transport}, ${IN_FLIGHT} calls at a time`;
  return [
    { what: `${what}, SDK on one thread`, figures: { 'calls/s': base, 'x SDK': 1 } },
    { what: `${what}, ${THREADS} workers, journal`, figures: { 'calls/s': own, 'x SDK': share } },
  ];
}

async function rateOf({ call }: ToolCaller, calls: number): Promise<number> {
  const { wallMs } = await measure(() => call(calls));
  return (calls * 1000) / wallMs;
}

function middle(rates: readonly number[]): number {
  return rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? NaN;
}

const ROWS = 12_288;
const AT_A_TIME = 256;
const TOOL_MS = 1_000;

/** Rows that wait for a tool of one second: how near the run comes to 256 calls under way all the time. */
async function idealShare(): Promise<BenchRow> {
  await using simulator = await startSimulator();
  const artifactPath = mkdtempSync(join(tmpdir(), 'bench-'));
  const rest = { providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null } as const;
  const models = [{ name: 'bench', endpoint: simulator.url, ...rest }];
  const server = { command: process.execPath, args: [SERVER, String(TOOL_MS)], env: {} };
  const tool: MCPProvider = { name: 'bench', providerType: 'stdio', maxParallelCalls: AT_A_TIME, ...server };
  await using designer = new DataDesigner({ artifactPath, providers: { models, tools: [tool] } });
  let started = 0;
  const onEvent = ({ type }: { readonly type: string }) => void (type === 'run-start' && (started = performance.now()));
  const { count, tools: called } = await designer.create(DECLARED, { numRecords: ROWS, onEvent });
  const runMs = performance.now() - started;
  rmSync(artifactPath, { recursive: true });
  const calls = Object.values(called).reduce((sum, one) => sum + one.calls, 0);
  if (count !== ROWS || calls < ROWS) throw new Error(`${count} of ${ROWS} rows, ${calls} calls`);
  const idealMs = (calls / AT_A_TIME) * TOOL_MS;
  return {
    what: `(b) ${calls} calls of ${TOOL_MS} ms, ${AT_A_TIME} rows at a time`,
    figures: { 'of ideal': idealMs / runMs, 'calls/s': (calls * 1000) / runMs },
  };
}

const MODEL = {
  alias: 'bench',
  model: 'bench',
  provider: 'bench',
  inference_parameters: { max_parallel_requests: 64 },
};
const COLUMN = {
  name: 'text',
  column_type: 'llm-text',
  model_alias: 'bench',
  tool_alias: 'bench',
  prompt: 'Use the tool wait for number {{ number }}.',
};
const NUMBER = {
  name: 'number',
  column_type: 'sampler',
  sampler_type: 'category',
  params: { values: Array.from({ length: 1000 }, (_, n) => n) },
};
const DECLARED = {
  source: 'bench',
  document: {
    model_configs: [MODEL],
    tool_configs: [{ tool_alias: 'bench', providers: ['bench'], allow_tools: ['wait'] }],
    columns: [NUMBER, COLUMN],
  },
};
