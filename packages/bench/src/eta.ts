import { DataDesigner, defineTool, type LocalToolProvider } from 'data-designer';
import type { ProgressSnapshot } from '@data-designer/engine';
import { startSimulator } from '@data-designer/simulator';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { oracleHits } from './eta-oracle.ts';
import type { BenchRow } from './spine.ts';

const ROWS = 300;
const PERMITS = 32;
/** The shares of finished cells at which the estimate is compared. */
const SHARES = [0.1, 0.2, 0.4, 0.6, 0.8];

/** Latencies of models, and which of them makes each column; the columns of a chain read the one before. */
interface EtaShape {
  readonly latencies: readonly string[];
  readonly columns: readonly number[];
  readonly isChain: boolean;
  readonly rows?: number;
  /** Further flags of the simulators. */
  readonly flags?: readonly string[];
  /** The turns of the chats that the columns are; absent for plain texts. */
  readonly turns?: number;
  /** The sigma of the latencies of its one column; absent for shapes that no oracle is asked for. */
  readonly sigma?: number;
  /** How long the tool takes that each cell calls; absent without one. */
  readonly toolMs?: number;
}

const SHAPES: Readonly<Record<string, EtaShape>> = {
  'two columns, 1 s': { latencies: ['1000'], columns: [0, 0], isChain: true },
  'two columns, lognormal': { latencies: ['lognormal:1000:0.5'], columns: [0, 0], isChain: true },
  'a model of 1 s, then one of 2 s': { latencies: ['1000', '2000'], columns: [0, 1], isChain: true },
  'a faster model, then a slower one, lognormal': {
    latencies: ['lognormal:500:0.5', 'lognormal:1000:0.5'],
    columns: [0, 1],
    isChain: true,
  },
  'a model of 3 s, then one of 0.5 s': { latencies: ['3000', '500'], columns: [0, 1], isChain: true },
  'ten columns, lognormal': {
    latencies: ['lognormal:500:0.5'],
    columns: Array.from({ length: 10 }, () => 0),
    isChain: false,
  },
  'one column, uneven (lognormal, sigma 0.5)': {
    latencies: ['lognormal:1000:0.5'],
    columns: [0],
    isChain: false,
    sigma: 0.5,
  },
  'one column, very uneven (lognormal, sigma 1)': {
    latencies: ['lognormal:1000:1'],
    columns: [0],
    isChain: false,
    sigma: 1,
  },
  'two columns, very uneven (lognormal, sigma 1)': { latencies: ['lognormal:1000:1'], columns: [0, 0], isChain: true },
  'three models of 0.5, 1 and 3 s, lognormal': {
    latencies: ['lognormal:500:0.5', 'lognormal:1000:0.5', 'lognormal:3000:0.5'],
    columns: [0, 1, 2],
    isChain: true,
  },
  'chats of four turns, lognormal': { latencies: ['lognormal:400:0.5'], columns: [0], isChain: false, turns: 4 },
  'a tool of 2 s in lockstep': { latencies: ['500'], columns: [0], isChain: false, toolMs: 2000 },
  'a limit of 12, found by refusals': {
    latencies: ['lognormal:500:0.5'],
    columns: [0],
    isChain: false,
    rows: 900,
    flags: ['--limit', '12'],
  },
};

/** How far the time left of a run is off, in per cent of the true time; `--only TEXT` takes the shapes whose name has it. */
export async function eta(): Promise<readonly BenchRow[]> {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { only: { type: 'string', default: '' } } });
  const rows: BenchRow[] = [];
  for (const [what, shape] of Object.entries(SHAPES)) {
    if (!what.includes(values.only)) continue;
    const figures = errorsIn(await snapshotsOf(shape), shape);
    rows.push({ what, figures: { ...figures, ...oracleOf(shape) } });
  }
  return rows;
}

/** How often an estimate is within 25 % that knows the latencies, in runs of such a shape. */
function oracleOf({ sigma, rows = ROWS }: EtaShape): Record<string, number> {
  if (sigma === undefined) return {};
  const { best, median } = oracleHits({ sigma, rows, permits: PERMITS });
  return { '% within 25 % of an oracle': best * 100, '% within 25 % of its median': median * 100 };
}

/** A tool that waits. */
function waiting(toolMs: number): LocalToolProvider {
  const tool = defineTool({
    name: 'wait_it',
    parameters: { type: 'object' },
    execute: async () => {
      await sleep(toolMs);
      return 'done';
    },
  });
  return { name: 'waiting', providerType: 'local', tools: [tool] };
}

async function snapshotsOf(shape: EtaShape): Promise<readonly ProgressSnapshot[]> {
  const { latencies, flags = [], toolMs, rows = ROWS } = shape;
  const folder = mkdtempSync(join(tmpdir(), 'bench-eta-'));
  const simulators = await Promise.all(latencies.map((latency) => startSimulator('--latency', latency, ...flags)));
  const models = simulators.map(({ url }, at) => ({
    name: `p${at}`,
    endpoint: url,
    providerType: 'openai',
    apiKey: null,
  }));
  const tools = toolMs === undefined ? [] : [waiting(toolMs)];
  await using designer = new DataDesigner({ artifactPath: folder, providers: { models, tools } });
  const document = {
    model_configs: simulators.map((_, at) => ({
      alias: `m${at}`,
      model: 'sim-small',
      provider: `p${at}`,
      skip_health_check: true,
      inference_parameters: { max_parallel_requests: PERMITS },
    })),
    ...(toolMs !== undefined && { tool_configs: [{ tool_alias: 'waiting', providers: ['waiting'] }] }),
    columns: [{ name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} }, ...columnsOf(shape)],
  };
  const snapshots: ProgressSnapshot[] = [];
  await designer.create(
    { document, source: 'here' },
    {
      numRecords: rows,
      onEvent: (event) => event.type === 'progress' && void snapshots.push(event.snapshot),
    },
  );
  await Promise.all(simulators.map((simulator) => simulator[Symbol.asyncDispose]()));
  rmSync(folder, { recursive: true });
  return snapshots;
}

function columnsOf({ columns, isChain, turns, toolMs }: EtaShape): readonly object[] {
  return columns.map((model, at) => {
    const name = `c${at}`;
    const text = `About {{ ${isChain && at > 0 ? `c${at - 1}` : 'id'} }}, part ${at}.`;
    if (turns !== undefined) {
      const side = (system: string) => ({ model_alias: `m${model}`, system_prompt: system });
      const sides = { user: side(`You ask. ${text}`), assistant: side('You answer.') };
      return { name, column_type: 'conversation', turns, ...sides };
    }
    const tool = toolMs === undefined ? {} : { tool_alias: 'waiting' };
    const prompt = toolMs === undefined ? text : `${text} Use the tool wait_it.`;
    return { name, column_type: 'llm-text', model_alias: `m${model}`, prompt, ...tool };
  });
}

function errorsIn(snapshots: readonly ProgressSnapshot[], { rows = ROWS }: EtaShape): Record<string, number> {
  const shareOf = ({ columns }: ProgressSnapshot): number =>
    columns.reduce((sum, { done }) => sum + done, 0) / (rows * columns.length);
  const end = snapshots.find((snapshot) => shareOf(snapshot) >= 1)?.elapsedMs ?? NaN;
  const errorOf = ({ etaSeconds, elapsedMs }: ProgressSnapshot) =>
    etaSeconds === null ? NaN : ((etaSeconds * 1000) / (end - elapsedMs) - 1) * 100;
  const at = SHARES.map((share): [string, number] => {
    const seen = snapshots.find((snapshot) => shareOf(snapshot) >= share);
    return [`% at ${share * 100} %`, seen ? errorOf(seen) : NaN];
  });
  const errors = snapshots.filter((one) => shareOf(one) >= 0.1 && shareOf(one) <= 0.9).map(errorOf);
  const within = errors.filter((error) => Math.abs(error) <= 25).length / errors.length;
  const asked = snapshots.filter((one) => shareOf(one) >= 0.1 && shareOf(one) <= 0.9);
  const inRange = asked.filter(({ etaSeconds, etaRange, elapsedMs }) => {
    const left = (end - elapsedMs) / 1000;
    if (etaSeconds === null) return false;
    const { least, most } = etaRange ?? { least: etaSeconds * 0.8, most: etaSeconds * 1.25 };
    return left >= least && left <= (most ?? Infinity);
  });
  return {
    ...Object.fromEntries(at),
    '% of snapshots within 25 %': within * 100,
    '% in the range that is shown': (inRange.length / asked.length) * 100,
    '% shown as a range': (asked.filter(({ etaRange }) => etaRange).length / asked.length) * 100,
  };
}
