import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelProvider } from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import { MODEL_PROTOCOLS } from '@data-designer/models/protocols';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import type { RehearsalRates } from './rehearsal-options.ts';

/** The requests to one model at one provider. */
export interface ModelLoad {
  readonly requests: number;
  readonly latencyMs: number;
}

/** Simulators in place of the model providers of a plan, one for each, under its name and without a key. */
export interface RehearsalModels extends AsyncDisposable {
  readonly providers: readonly ModelProvider[];
  /** Bytes in their logs, which grow with each completed request. */
  readonly loggedBytes: () => number;
  /** Requests and their total latency by pool of the plan; read it after the simulators have ended. */
  readonly loads: () => Promise<ReadonlyMap<string, ModelLoad>>;
}

/** The options of the simulators. */
export interface RehearsalModelOptions {
  readonly rates: RehearsalRates;
  /** The real providers, for their protocols. */
  readonly providers: readonly ModelProvider[];
  /** The folder of the simulators' logs. */
  readonly folder: string;
}

/** Starts the simulators; disposing of the result ends them. */
export async function startRehearsalModels(
  { resources, models }: Plan,
  options: RehearsalModelOptions,
): Promise<RehearsalModels> {
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
    loggedBytes: () => logs.reduce((sum, log) => sum + statSync(log).size, 0),
    loads: async () => {
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

/** Starts all simulators, or ends those that started if one fails. */
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

function sumUp(entries: readonly Entry[], pools: ReadonlyMap<string, string>): ReadonlyMap<string, ModelLoad> {
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
