import { DataDesigner } from 'data-designer';
import type { ProgressSnapshot } from '@data-designer/engine';
import { startSimulator } from '@data-designer/simulator';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRow } from './spine.ts';

const ROWS = 300;
const PERMITS = 32;
/** The shares of finished cells at which the estimate is compared. */
const SHARES = [0.1, 0.2, 0.5, 0.7];

/** Latencies of models, and which of them makes each column; the columns of a chain read the one before. */
interface EtaShape {
  readonly latencies: readonly string[];
  readonly columns: readonly number[];
  readonly isChain: boolean;
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
};

/** How far the time left of a run is off, in per cent of the true time. */
export async function eta(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [what, shape] of Object.entries(SHAPES)) rows.push({ what, figures: errorsIn(await snapshotsOf(shape)) });
  return rows;
}

async function snapshotsOf({ latencies, columns, isChain }: EtaShape): Promise<readonly ProgressSnapshot[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-eta-'));
  const simulators = await Promise.all(latencies.map((latency) => startSimulator('--latency', latency)));
  const models = simulators.map(({ url }, at) => ({
    name: `p${at}`,
    endpoint: url,
    providerType: 'openai',
    apiKey: null,
  }));
  await using designer = new DataDesigner({ artifactPath: folder, providers: { models, tools: [] } });
  const document = {
    model_configs: simulators.map((_, at) => ({
      alias: `m${at}`,
      model: 'sim-small',
      provider: `p${at}`,
      skip_health_check: true,
      inference_parameters: { max_parallel_requests: PERMITS },
    })),
    columns: [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
      ...columns.map((model, at) => {
        const prompt = `About {{ ${isChain && at > 0 ? `c${at - 1}` : 'id'} }}, part ${at}.`;
        return { name: `c${at}`, column_type: 'llm-text', model_alias: `m${model}`, prompt };
      }),
    ],
  };
  const snapshots: ProgressSnapshot[] = [];
  await designer.create(
    { document, source: 'here' },
    {
      numRecords: ROWS,
      onEvent: (event) => event.type === 'progress' && void snapshots.push(event.snapshot),
    },
  );
  await Promise.all(simulators.map((simulator) => simulator[Symbol.asyncDispose]()));
  rmSync(folder, { recursive: true });
  return snapshots;
}

function shareOf({ columns }: ProgressSnapshot): number {
  return columns.reduce((sum, { done }) => sum + done, 0) / (ROWS * columns.length);
}

function errorsIn(snapshots: readonly ProgressSnapshot[]): Record<string, number> {
  const end = snapshots.find((snapshot) => shareOf(snapshot) >= 1)?.elapsedMs ?? NaN;
  const errorOf = ({ etaSeconds, elapsedMs }: ProgressSnapshot) =>
    etaSeconds === null ? NaN : ((etaSeconds * 1000) / (end - elapsedMs) - 1) * 100;
  const at = SHARES.map((share): [string, number] => {
    const seen = snapshots.find((snapshot) => shareOf(snapshot) >= share);
    return [`% at ${share * 100} %`, seen ? errorOf(seen) : NaN];
  });
  const errors = snapshots.filter((one) => shareOf(one) >= 0.1 && shareOf(one) <= 0.9).map(errorOf);
  const within = errors.filter((error) => Math.abs(error) <= 25).length / errors.length;
  return { ...Object.fromEntries(at), '% of snapshots within 25 %': within * 100 };
}
