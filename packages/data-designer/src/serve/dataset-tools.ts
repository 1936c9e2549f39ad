import { z } from 'zod';
import type { ColumnRegistry } from '@data-designer/config';
import { defineTool, type ToolDefinition } from '@data-designer/mcp';
import { clientConfig, clientDeclaration } from './client-config.ts';
import type { DatasetMaker } from './dataset-maker.ts';
import { type DatasetState, datasetState } from './job.ts';
import { refusedCall } from './refused-call.ts';
import { listStored, readPage, storedState } from './stored-datasets.ts';
import { STOPS, READS, CREATES } from './tool-hints.ts';
import { numRecords, waitSeconds, wantedRun } from './run-parameters.ts';
import { watchJob, withCost } from './watch-job.ts';

const dataset = z.string().describe('The name of the dataset, as start_dataset and list_datasets give it.');

/** The tools that make datasets, follow them and read them. */
export function datasetTools(maker: DatasetMaker, registry: ColumnRegistry): readonly ToolDefinition[] {
  return [startTool(maker, registry), watchTool(maker), cancelTool(maker), listTool(maker), readTool(maker)];
}

function startTool(maker: DatasetMaker, registry: ColumnRegistry): ToolDefinition {
  return defineTool({
    name: 'start_dataset',
    description:
      'Begins to make a dataset from a config, and gives its name and folder at once; watch_dataset tells how far it is.',
    parameters: z.strictObject({
      config: clientConfig,
      num_records: numRecords(maker.settings.maxRecords),
      dataset_name: z
        .string()
        .min(1)
        .max(100)
        .default('dataset')
        .describe('Name of its folder; a time is added when it is taken.'),
      resume: z
        .union([z.boolean(), z.enum(['never', 'always', 'if_possible'])])
        .default(false)
        .describe(
          'true or always: go on with the dataset of this name and config; what was paid for is not asked again. if_possible: begin a new one where that cannot be.',
        ),
      rebuy: z
        .boolean()
        .default(false)
        .describe(
          'With resume: pay again for answers that no longer fit what is asked, and for rows in damaged files.',
        ),
      ...wantedRun,
    }),
    execute: async ({ config, num_records, dataset_name, resume, rebuy, seed, max_cost }) => {
      const declaration = clientDeclaration(config, maker, registry);
      const mode = typeof resume === 'string' ? resume : resume ? 'always' : 'never';
      const wanted = { declaration, numRecords: num_records, name: dataset_name, seed, maxCost: max_cost };
      return (await maker.start({ ...wanted, resume: mode, rebuy })).state;
    },
    hints: { title: 'Start a dataset', ...CREATES, outputSchema: datasetState },
  });
}

function watchTool(maker: DatasetMaker): ToolDefinition {
  return defineTool({
    name: 'watch_dataset',
    description:
      'Waits until a dataset is complete, or for some seconds, and tells how far it is and what it has cost.',
    parameters: z.strictObject({ dataset, wait_sec: waitSeconds }),
    execute: async ({ dataset: name, wait_sec }, context) => {
      const job = await maker.find(name);
      return job ? watchJob(job, wait_sec, context) : stored(maker, name);
    },
    hints: { title: 'Watch a dataset', ...READS, outputSchema: datasetState },
  });
}

function cancelTool(maker: DatasetMaker): ToolDefinition {
  return defineTool({
    name: 'cancel_dataset',
    description:
      'Stops a dataset that is being made: nothing more is asked, answers under way are kept, and it can be gone on with.',
    parameters: z.strictObject({ dataset }),
    execute: async ({ dataset: name }, { signal }) => {
      const job = await maker.find(name);
      if (!job) return stored(maker, name);
      job.drain('a client cancelled it; it can be gone on with');
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
    description: 'Lists the datasets there are, the latest first, with how far each is.',
    parameters: z.strictObject({}),
    execute: async () => {
      const kept = await listStored(maker.settings.artifactPath);
      const jobs = await Promise.all(maker.jobs.map(withCost));
      const begun = jobs.filter(({ folder }) => folder !== null);
      const live = new Map(begun.toReversed().map((state) => [state.dataset, state]));
      const others = jobs.filter(({ folder }) => folder === null);
      return { datasets: [...others, ...kept.map((state) => live.get(state.dataset) ?? state)] };
    },
    hints: { title: 'List datasets', ...READS, outputSchema },
  });
}

function readTool(maker: DatasetMaker): ToolDefinition {
  const outputSchema = z.object({
    dataset: z.string(),
    offset: z.int(),
    records: z.array(z.record(z.string(), z.unknown())),
    next_offset: z.int().nullable().describe('Where the next page begins; null after the last.'),
  });
  return defineTool({
    name: 'read_records',
    description:
      'Reads records of a dataset, a page at a time; those of one that is being made as far as they are finished.',
    parameters: z.strictObject({
      dataset,
      offset: z.int().min(0).default(0).describe('Records to pass over.'),
      limit: z.int().min(1).max(100).default(10).describe('Records to give, at most.'),
      columns: z.array(z.string()).min(1).optional().describe('The columns to give; all unless given.'),
    }),
    execute: async ({ dataset: name, ...page }) => {
      const { folder } = (await maker.find(name))?.state ?? (await stored(maker, name));
      if (folder === null) throw refusedCall(`The dataset '${name}' has not begun yet.`);
      const { records, nextOffset } = await readPage(folder, page);
      return { dataset: name, offset: page.offset, records, next_offset: nextOffset };
    },
    hints: { title: 'Read records', ...READS, outputSchema },
  });
}

async function stored({ settings }: DatasetMaker, name: string): Promise<DatasetState> {
  const state = await storedState(settings.artifactPath, name);
  if (state) return state;
  throw refusedCall(`There is no dataset '${name}'; list_datasets tells which there are.`);
}
