import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelProvider } from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import { MODEL_PROTOCOLS } from '@data-designer/models/protocols';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import type { RehearsalRates } from './rehearsal-options.ts';

/** What was asked of one model at one provider. */
export interface Asked {
  readonly requests: number;
  readonly latencyMs: number;
}

/** What stands in place of all model providers of a plan: a simulator for each, under its name, without a key. */
export interface RehearsalStage extends AsyncDisposable {
  readonly providers: readonly ModelProvider[];
  /** Bytes in their logs so far: they grow with the requests that have ended. */
  readonly logged: () => number;
  /** Requests and the sum of their latencies, by pool of the plan; to be read once the simulators have ended. */
  readonly asked: () => Promise<ReadonlyMap<string, Asked>>;
}

/** What a stage is built with. */
export interface StageOptions {
  readonly rates: RehearsalRates;
  /** The real providers, whose protocols are kept. */
  readonly providers: readonly ModelProvider[];
  /** Where the simulators keep their logs. */
  readonly folder: string;
}

/** Starts the simulators; they end when the result is disposed. */
export async function openStage({ resources, models }: Plan, options: StageOptions): Promise<RehearsalStage> {
  const { rates, providers, folder } = options;
  const names = [...new Set(resources.flatMap(({ kind, provider }) => (kind === 'model' ? [provider] : [])))];
  const logs = names.map((_, index) => join(folder, `requests-${index}.ndjson`));
  const started = await startAll(logs.map((log) => [...flagsOf(rates), '--log', log]));
  const poolOf = new Map(resources.map(({ id, pool }) => [id, pool]));
  const providerOf = new Map(resources.map(({ id, provider }) => [id, provider]));
  const pools = Object.values(models).map(({ resource, model }) => {
    return [keyOf(providerOf.get(resource) ?? '', model), poolOf.get(resource) ?? ''] as const;
  });
  const real = new Map(providers.map((provider) => [provider.name, provider]));
  return {
    providers: started.map(({ url }, index) => {
      const name = names[index] as string;
      const providerType = real.get(name)?.providerType ?? MODEL_PROTOCOLS[0].name;
      return { name, endpoint: url, providerType, apiKey: null, extraBody: null, extraHeaders: null };
    }),
    logged: () => logs.reduce((sum, log) => sum + statSync(log).size, 0),
    asked: async () => {
      const texts = await Promise.all(logs.map((log) => readFile(log, 'utf8')));
      return sumUp(
        texts.flatMap((text, index) => entriesOf(text, names[index] as string)),
        new Map(pools),
      );
    },
    [Symbol.asyncDispose]: () => endAll(started),
  };
}

function flagsOf({ latency, tokensPerSecond, errorRate, outputTokens }: RehearsalRates): readonly string[] {
  return [
    '--latency',
    latency,
    ...(tokensPerSecond === undefined ? [] : ['--tokens-per-second', String(tokensPerSecond)]),
    ...(errorRate === 0 ? [] : ['--faults', `500=${errorRate}`]),
    ...(outputTokens === undefined ? [] : ['--output-tokens', String(outputTokens)]),
  ];
}

/** All of them, or none that would stay behind. */
async function startAll(flags: readonly (readonly string[])[]): Promise<readonly RunningSimulator[]> {
  const starts = await Promise.allSettled(flags.map((one) => startSimulator(...one)));
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failure = starts.find((start) => start.status === 'rejected');
  if (!failure) return started;
  await endAll(started);
  throw failure.reason;
}

async function endAll(simulators: readonly RunningSimulator[]): Promise<void> {
  await Promise.all(simulators.map((simulator) => simulator[Symbol.asyncDispose]()));
}

interface Entry {
  readonly key: string;
  readonly latencyMs: number;
}

function entriesOf(text: string, provider: string): readonly Entry[] {
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    const { model = '', latencyMs } = JSON.parse(line) as { readonly model?: string; readonly latencyMs: number };
    return [{ key: keyOf(provider, model), latencyMs }];
  });
}

function sumUp(entries: readonly Entry[], pools: ReadonlyMap<string, string>): ReadonlyMap<string, Asked> {
  const sums = new Map<string, { requests: number; latencyMs: number }>();
  for (const { key, latencyMs } of entries) {
    const pool = pools.get(key) ?? '';
    const sum = sums.get(pool) ?? { requests: 0, latencyMs: 0 };
    sum.requests++;
    sum.latencyMs += latencyMs;
    sums.set(pool, sum);
  }
  return sums;
}

function keyOf(provider: string, model: string): string {
  return `${provider}\n${model}`;
}
