import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelProvider } from '@data-designer/config';
import { DEFAULT_MODEL_PROTOCOL, type Plan } from '@data-designer/core';
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
  const logs = names.map((provider, index) => ({ provider, path: join(folder, `requests-${index}.ndjson`) }));
  const started = await startAll(logs.map(({ path }) => [...flagsOf(rates), '--log', path]));
  const resourceOf = new Map(resources.map((resource) => [resource.id, resource]));
  const pools = Object.values(models).map(({ resource, model }) => {
    const { provider = '', pool = '' } = resourceOf.get(resource) ?? {};
    return [keyOf(provider, model), pool] as const;
  });
  const typeOf = new Map(providers.map(({ name, providerType }) => [name, providerType]));
  return {
    providers: names.map((name, index) => ({
      name,
      endpoint: started[index]?.url ?? '',
      providerType: typeOf.get(name) ?? DEFAULT_MODEL_PROTOCOL,
      apiKey: null,
      extraBody: null,
      extraHeaders: null,
    })),
    loggedBytes: () => logs.reduce((sum, { path }) => sum + statSync(path).size, 0),
    loads: () => sumLoads(logs, new Map(pools)),
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

interface LoggedRequest {
  readonly model?: string;
  readonly latencyMs: number;
}

/** Adds up the logs of the simulators by pool. */
async function sumLoads(
  logs: readonly { readonly provider: string; readonly path: string }[],
  pools: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, ModelLoad>> {
  const sums = new Map<string, ModelLoad>();
  for (const { provider, path } of logs) {
    const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
    for (const line of lines) {
      const { model = '', latencyMs } = JSON.parse(line) as LoggedRequest;
      const pool = pools.get(keyOf(provider, model)) ?? '';
      const sum = sums.get(pool) ?? { requests: 0, latencyMs: 0 };
      sums.set(pool, { requests: sum.requests + 1, latencyMs: sum.latencyMs + latencyMs });
    }
  }
  return sums;
}

function keyOf(provider: string, model: string): string {
  return `${provider}\n${model}`;
}
