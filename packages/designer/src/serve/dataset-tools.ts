import { z } from 'zod';
import type { ColumnRegistry } from '@data-designer/config';
import { defineTool, type ToolDefinition } from '@data-designer/mcp';
import { clientConfig, clientDeclaration } from './client-config.ts';
import type { DatasetMaker } from './dataset-maker.ts';
import { type DatasetState, datasetState } from './job.ts';
import { refusedCall } from './refused-call.ts';
import { listStored, readPage, storedState } from './stored-datasets.ts';
import { CREATES, READS, STOPS } from './tool-hints.ts';
import { datasetParameters, numRecords, readArguments, settingParameters, waitSeconds } from './run-parameters.ts';
import { watchJob, withCost } from './watch-job.ts';

const dataset = z.string().describe('The name of the dataset, from start_dataset or list_datasets.');

/** The tools that start, watch, cancel, list and read datasets. */
export function datasetTools(maker: DatasetMaker, registry: ColumnRegistry): readonly ToolDefinition[] {
  return [startTool(maker, registry), watchTool(maker), cancelTool(maker), listTool(maker), readTool(maker)];
}

function startTool(maker: DatasetMaker, registry: ColumnRegistry): ToolDefinition {
  return defineTool({
    name: 'start_dataset',
    description:
      'Starts to make a dataset from a config and returns its name and folder at once; watch_dataset returns its progress.',
    parameters: z.strictObject({
      config: clientConfig,
      ...datasetParameters,
      num_records: numRecords(maker.settings.maxRecords),
      ...settingParameters,
    }),
    execute: async ({ config, ...given }) => {
      const { options, settings } = readArguments(given);
      const { resume, retryLost = false } = options;
      if (retryLost && resume === 'never') throw refusedCall('retry_lost has no effect without resume.');
      return (await maker.start({ declaration: clientDeclaration(config, maker, registry), options, settings })).state;
    },
    hints: { title: 'Start a dataset', ...CREATES, outputSchema: datasetState },
  });
}

function watchTool(maker: DatasetMaker): ToolDefinition {
  return defineTool({
    name: 'watch_dataset',
    description: 'Waits until a dataset is complete, or for wait_sec seconds, and returns its progress and cost.',
    parameters: z.strictObject({ dataset, wait_sec: waitSeconds }),
    execute: async ({ dataset: name, wait_sec }, context) => {
      const job = await maker.find(name);
      return job ? watchJob(job, wait_sec, context) : storedOrRefuse(maker, name);
    },
    hints: { title: 'Watch a dataset', ...READS, outputSchema: datasetState },
  });
}

function cancelTool(maker: DatasetMaker): ToolDefinition {
  return defineTool({
    name: 'cancel_dataset',
    description:
      'Stops the run of a dataset: no new requests are sent, answers to open ones are kept, and it can be resumed.',
    parameters: z.strictObject({ dataset }),
    execute: async ({ dataset: name }, { signal }) => {
      const job = await maker.find(name);
      if (!job) return storedOrRefuse(maker, name);
      job.drain('a client cancelled it; it can be resumed');
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await Promise.race([job.ended, aborted]);
      return withCost(job);
    },
    hints: { title: 'Cancel a dataset', ...STOPS, outputSchema: datasetState },
  });
}

function listTool(maker: DatasetMaker): ToolDefinition {
  const outputSchema = z.object({ datasets: z.array(datasetState) });
  return defineTool({
    name: 'list_datasets',
    description: 'Lists all datasets with their progress, the latest first.',
    parameters: z.strictObject({}),
    execute: async () => {
      const stored = await listStored(maker.settings.artifactPath);
      const jobs = await Promise.all(maker.jobs.map(withCost));
      const started = jobs.filter(({ folder }) => folder !== null);
      const live = new Map(started.toReversed().map((state) => [state.dataset, state]));
      const others = jobs.filter(({ folder }) => folder === null);
      return { datasets: [...others, ...stored.map((state) => live.get(state.dataset) ?? state)] };
    },
    hints: { title: 'List datasets', ...READS, outputSchema },
  });
}

function readTool(maker: DatasetMaker): ToolDefinition {
  const outputSchema = z.object({
    dataset: z.string(),
    offset: z.int(),
    records: z.array(z.record(z.string(), z.unknown())),
    next_offset: z.int().nullable().describe('Offset of the next page; null after the last.'),
  });
  return defineTool({
    name: 'read_records',
    description: 'Reads a page of the finished records of a dataset, also during its run.',
    parameters: z.strictObject({
      dataset,
      offset: z.int().min(0).default(0).describe('Records to skip.'),
      limit: z.int().min(1).max(100).default(10).describe('The maximum number of records to return.'),
      columns: z.array(z.string()).min(1).optional().describe('The columns to return; default: all.'),
    }),
    execute: async ({ dataset: name, ...page }) => {
      const { folder } = (await maker.find(name))?.state ?? (await storedOrRefuse(maker, name));
      if (folder === null) throw refusedCall(`The dataset '${name}' has not started yet.`);
      const { records, nextOffset } = await readPage(folder, page);
      return { dataset: name, offset: page.offset, records, next_offset: nextOffset };
    },
    hints: { title: 'Read records', ...READS, outputSchema },
  });
}

async function storedOrRefuse({ settings }: DatasetMaker, name: string): Promise<DatasetState> {
  const state = await storedState(settings.artifactPath, name);
  if (state) return state;
  throw refusedCall(`There is no dataset '${name}'; list_datasets returns all names.`);
}
