import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { ModelProvider } from '@data-designer/config';
import { field, type Plan } from '@data-designer/core';
import type { PricedUsage } from '@data-designer/models';
import { DEFAULT_FORMAT, readDataset, TemporaryFolder } from '@data-designer/dataset';
import { run, type RunEvent, type RunOptions, type RunResult, withoutSelect } from '@data-designer/engine';
import { assumptionsOf } from './assumptions.ts';
import { type ForecastAttempts, forecastAttempts } from './attempt-forecast.ts';
import { type AcceptedSample, forecastSelection } from './forecast-selection.ts';
import type { ModelForecast, Rehearsal } from './rehearsal.ts';
import type { RehearsalRates } from './rehearsal-options.ts';
import { startRehearsalModels } from './rehearsal-models.ts';
import { rehearsedPlan } from './rehearsed-plan.ts';
import { Stopwatch } from './stopwatch.ts';
import { type SampleTimes, type SpentRates, wallForecast } from './wall-forecast.ts';

/** The input of a rehearsal besides the plan of the real run. */
export interface RehearseOptions {
  readonly rates: RehearsalRates;
  /** The real providers of models, for their protocols. */
  readonly providers: readonly ModelProvider[];
  /** Tool providers that may be called even without `withTools`. */
  readonly ownTools: ReadonlySet<string>;
  /** Run options; the rehearsal sets the folder and the models. */
  readonly run: Omit<
    RunOptions,
    'artifactPath' | 'datasetName' | 'resume' | 'format' | 'seed' | 'document' | 'skippedProbes' | 'onEvent'
  >;
  /** Where the rows of the sample stay; default: they are deleted. */
  readonly place?: { readonly artifactPath: string; readonly datasetName: string };
  /** Called with the events of the sample; must not throw. */
  readonly onEvent: (event: RunEvent) => void;
}

/** The estimate, and the run of the sample behind it. */
export interface RehearsalRun {
  readonly rehearsal: Rehearsal;
  readonly sample: RunResult;
}

/** Runs the first rows of a plan with simulated models in a temporary folder, and estimates the real run from them. */
export async function rehearse(real: Plan, options: RehearseOptions): Promise<RehearsalRun> {
  const { rates, ownTools } = options;
  const mayCall = (provider: string) => rates.withTools || ownTools.has(provider);
  // The next stage of a workflow reads the rows that stay, so that these have no further column.
  const counted = options.place ? undefined : real.select?.where;
  const rehearsed = rehearsedPlan(withVerdict(withoutSelect(real), counted), { sampleRows: rates.sampleRows, mayCall });
  await using folder = await TemporaryFolder.make();
  const { result, times } = await carryOut(rehearsed.plan, { ...options, folder: folder.path });
  const { rows, sampleRows, passRate } = rates;
  const { summary } = result;
  const attempts = forecastAttempts(real, summary, passRate);
  const selected = counted && (await countAccepted(result.path, counted));
  const models = modelForecasts(rehearsed.plan, result, { times: rows / sampleRows, attempts });
  const total = (count: (one: ModelForecast) => number) => models.reduce((sum, one) => sum + count(one), 0);
  const forecast = {
    counts: real.select ? ('candidates' as const) : ('rows' as const),
    rows,
    rowsMade: Math.round(((rows * summary.rows) / sampleRows) * attempts.kept),
    sample: { rows: sampleRows, rowsMade: summary.rows, wallMs: times.wallMs, lost: summary.lost },
    models,
    ...(selected && { selected: forecastSelection(rows, selected) }),
    ...(real.attempts && { attempts: attempts.blocks }),
    requests: total(({ requests }) => requests),
    inputTokens: total(({ inputTokens }) => inputTokens),
    cachedInputTokens: total(({ cachedInputTokens }) => cachedInputTokens),
    outputTokens: total(({ outputTokens }) => outputTokens),
    cost: models.some(({ cost }) => cost === null) ? null : total(({ cost }) => cost ?? 0),
    wall: wallForecast(
      { ...rehearsed.plan, resources: real.resources },
      withAttempts(times, { plan: rehearsed.plan, result, attempts }),
      rows,
    ),
  };
  const { maxDurationSeconds } = options.run.ends;
  const parts = { real, rates, withoutTools: rehearsed.withoutTools, maxDurationSeconds, ended: result.ended };
  return { rehearsal: { ...forecast, assumptions: assumptionsOf(forecast, parts) }, sample: result };
}

/** A plan that stores the column that decides `select.where`. */
function withVerdict(plan: Plan, where: string | null | undefined): Plan {
  return where ? { ...plan, fields: [...plan.fields, field(where, 'bool')] } : plan;
}

/** How many of the rows a condition accepts; undefined where a processor left its column out. */
async function countAccepted(folder: string, where: string): Promise<AcceptedSample | undefined> {
  let [candidates, accepted] = [0, 0];
  for await (const row of readDataset(folder)) {
    if (typeof row[where] !== 'boolean') continue;
    candidates++;
    if (row[where]) accepted++;
  }
  return candidates > 0 ? { candidates, accepted } : undefined;
}

async function carryOut(
  plan: Plan,
  { rates, providers, run: running, folder, place, onEvent }: RehearseOptions & { readonly folder: string },
): Promise<{ readonly result: RunResult; readonly times: SampleTimes }> {
  const simulated = await startRehearsalModels(plan, { rates, providers, folder });
  using watch = new Stopwatch(simulated.loggedBytes);
  let measured: ReturnType<Stopwatch['stop']>;
  let result: RunResult;
  try {
    const { artifactPath, datasetName } = place ?? {
      artifactPath: join(folder, 'artifacts'),
      datasetName: 'rehearsal',
    };
    await mkdir(artifactPath, { recursive: true });
    result = await run(plan, {
      ...running,
      ends: { maxDurationSeconds: null, errorRate: null },
      providers: { ...running.providers, models: simulated.providers },
      artifactPath,
      datasetName,
      resume: 'never',
      format: DEFAULT_FORMAT,
      seed: null,
      document: {},
      skippedProbes: new Map(),
      onEvent: (event) => {
        if (event.type === 'run-start') watch.start();
        onEvent(event);
      },
    });
    measured = watch.stop();
  } finally {
    await simulated[Symbol.asyncDispose]();
  }
  const requestsPerCell = requestsByCell(plan, result, rates.sampleRows);
  const used = { ...measured, processors: availableParallelism(), loads: await simulated.loads() };
  const spent = spentByResource(plan, result);
  const hasRetries = rates.errorRate > 0;
  return { result, times: { rows: rates.sampleRows, ...used, spent, requestsPerCell, hasRetries } };
}

function spentByResource(plan: Plan, { summary }: RunResult): ReadonlyMap<string, SpentRates> {
  const sums = new Map<string, SpentRates>();
  for (const [alias, usage] of Object.entries(summary.pricedUsage(plan))) {
    const resource = plan.models[alias]?.resource ?? '';
    const { requests, tokens } = sums.get(resource) ?? { requests: 0, tokens: 0 };
    const own = usage.inputTokens + usage.outputTokens;
    sums.set(resource, { requests: requests + usage.requests, tokens: tokens + own });
  }
  return sums;
}

function requestsByCell(plan: Plan, { summary }: RunResult, rows: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { columns } of Object.values(summary.pricedUsage(plan))) {
    for (const [column, attempts] of Object.entries(columns)) {
      const requests = Object.values(attempts).reduce((sum, attempt) => sum + attempt.requests, 0);
      counts.set(column, (counts.get(column) ?? 0) + requests / rows);
    }
  }
  return counts;
}

/** The counts that a forecast scales. */
type ScaledCounts = Pick<
  PricedUsage,
  'requests' | 'inputTokens' | 'cachedInputTokens' | 'outputTokens' | 'pictures' | 'cost'
>;

/** A count of an alias in the real run, in place of the sample's: its columns are made for other numbers of attempts. */
function countOf(usage: PricedUsage, key: keyof ScaledCounts, { factorOf }: ForecastAttempts): number {
  const changes = Object.entries(usage.columns).map(([column, byPurpose]) => {
    const own = Object.values(byPurpose).reduce((sum, counts) => sum + (counts[key] ?? 0), 0);
    return own * (factorOf(column) - 1);
  });
  return changes.reduce((sum, change) => sum + change, usage[key] ?? 0);
}

/** The times of a sample as if it had made the attempts of the real run. */
function withAttempts(
  times: SampleTimes,
  { plan, result, attempts }: { readonly plan: Plan; readonly result: RunResult; readonly attempts: ForecastAttempts },
): SampleTimes {
  if (!plan.attempts) return times;
  const poolOf = new Map(plan.resources.map(({ id, pool }) => [id, pool]));
  const byResource = new Map<string, { sampled: number; real: number }>();
  for (const [alias, usage] of Object.entries(result.summary.pricedUsage(plan))) {
    const resource = plan.models[alias]?.resource ?? '';
    for (const key of [resource, poolOf.get(resource) ?? '']) {
      const { sampled, real } = byResource.get(key) ?? { sampled: 0, real: 0 };
      byResource.set(key, {
        sampled: sampled + usage.requests,
        real: real + countOf(usage, 'requests', attempts),
      });
    }
  }
  const ratioOf = (key: string): number => {
    const { sampled = 0, real = 0 } = byResource.get(key) ?? {};
    return sampled > 0 ? real / sampled : 1;
  };
  // Attempts that are made together take the time of one.
  const together = new Map(
    plan.attempts.flatMap(({ keep, columns, max }) =>
      keep === 'first' ? [] : columns.map((name) => [name, max] as const),
    ),
  );
  return {
    ...times,
    loads: new Map(
      Array.from(times.loads, ([pool, { requests, latencyMs }]) => {
        return [pool, { requests: requests * ratioOf(pool), latencyMs: latencyMs * ratioOf(pool) }];
      }),
    ),
    spent: new Map(
      Array.from(times.spent, ([id, { requests, tokens }]) => {
        return [id, { requests: requests * ratioOf(id), tokens: tokens * ratioOf(id) }];
      }),
    ),
    requestsPerCell: new Map(
      Array.from(times.requestsPerCell, ([column, requests]) => {
        return [column, (requests * attempts.factorOf(column)) / (together.get(column) ?? 1)];
      }),
    ),
  };
}

/** The sample's usage, scaled to all rows. */
function modelForecasts(
  plan: Plan,
  { summary }: RunResult,
  { times, attempts }: { readonly times: number; readonly attempts: ForecastAttempts },
): readonly ModelForecast[] {
  const providers = new Map(plan.resources.map(({ id, provider }) => [id, provider]));
  return Object.entries(summary.pricedUsage(plan)).map(([alias, usage]) => {
    const planned = plan.models[alias];
    const scaled = (key: keyof ScaledCounts) => Math.round(countOf(usage, key, attempts) * times);
    return {
      alias,
      model: planned?.model ?? '',
      provider: providers.get(planned?.resource ?? '') ?? '',
      requests: scaled('requests'),
      inputTokens: scaled('inputTokens'),
      cachedInputTokens: scaled('cachedInputTokens'),
      outputTokens: scaled('outputTokens'),
      pictures: scaled('pictures'),
      cost: usage.cost === null ? null : countOf(usage, 'cost', attempts) * times,
    };
  });
}
