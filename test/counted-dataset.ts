import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDataset } from '@data-designer/dataset';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';

/** A dataset with a column that calls tools and one made of it, at a model server that counts what is bought. */
export interface CountedDataset extends AsyncDisposable {
  readonly simulator: RunningSimulator;
  /** The arguments that make it below a folder, with more of them. */
  readonly create: (into: string, ...more: string[]) => string[];
}

/** Requests under way at a time, at most. */
export const IN_FLIGHT = 8;
export const ROWS = 24;
/** The name of its folder. */
export const NAME = 'kept';

/** Starts the server with some flags, and writes config, providers and settings into a folder. */
export async function countedDataset(folder: string, ...flags: string[]): Promise<CountedDataset> {
  const simulator = await startSimulator(...flags);
  mkdirSync(folder, { recursive: true });
  const [config, providers, settings] = ['config.json', 'providers.json', 'settings.json'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const limit = { inference_parameters: { max_parallel_requests: IN_FLIGHT } };
  const columns = [
    { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
    {
      name: 'fact',
      column_type: 'llm-text',
      model_alias: 'writer',
      tool_alias: 'facts',
      with_trace: true,
      prompt: 'Fact {{ id }}, with the tool get_fact.',
    },
    { name: 'short', column_type: 'llm-text', model_alias: 'writer', prompt: 'Shorter: {{ fact }}' },
  ];
  const models = [{ alias: 'writer', model: 'sim-small', provider: 'counted', ...limit }];
  const tools = [{ tool_alias: 'facts', providers: ['demo-tools'] }];
  writeFileSync(config, JSON.stringify({ model_configs: models, tool_configs: tools, columns }));
  writeFileSync(providers, JSON.stringify({ providers: [{ name: 'counted', endpoint: simulator.url }] }));
  writeFileSync(settings, JSON.stringify({ buffer_size: ROWS / 4 }));
  const files = [config, '--providers', providers, '-c', settings];
  return {
    simulator,
    create: (into, ...more) => ['create', ...files, '-n', `${ROWS}`, '-o', into, '-d', NAME, '--seed', '9', ...more],
    [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
  };
}

/** The rows of the dataset below a folder, in order. */
export function rowsBelow(folder: string): Promise<unknown[]> {
  return Array.fromAsync(readDataset(join(folder, NAME)));
}
