import { z } from 'zod';
import { defineTool, type ToolDefinition } from '@data-designer/mcp';
import { overrideParameters, withOverrides } from './config-overrides.ts';
import type { DatasetMaker } from './dataset-maker.ts';
import { type FolderConfig, toolName } from './folder-configs.ts';
import { datasetState } from './job.ts';
import { readPage } from './stored-datasets.ts';
import { CREATES } from './tool-hints.ts';
import { numRecords, readArguments, settingParameters, waitSeconds } from './run-parameters.ts';
import { watchJob } from './watch-job.ts';

/** The maximum number of records that the tool returns. */
const MAX_SHOWN = 20;

/** The tool of one config file: makes a dataset from it, waits, and returns the first records. */
export function folderTool(maker: DatasetMaker, config: FolderConfig): ToolDefinition {
  const { name, path, dataset } = config;
  const outputSchema = datasetState.extend({ records_shown: z.array(z.record(z.string(), z.unknown())) });
  return defineTool({
    name: toolName(name),
    description: `Makes a dataset from the config ${name} and returns its first records. Columns: ${columnsOf(config)}.`,
    parameters: z.strictObject({
      num_records: numRecords(maker.settings.maxRecords),
      ...settingParameters,
      ...overrideParameters(dataset),
      wait_sec: waitSeconds,
      show_records: z
        .int()
        .min(0)
        .max(MAX_SHOWN)
        .default(3)
        .describe('The maximum number of finished records to return.'),
    }),
    execute: async ({ num_records, wait_sec, show_records, ...rest }, context) => {
      const document = { data_designer: withOverrides(dataset, rest) };
      const declaration = { document, source: path, origin: 'local' } as const;
      const { options, settings } = readArguments({ ...rest, num_records });
      const datasetName = toolName(name).slice('make_'.length);
      const job = await maker.start({ declaration, options: { ...options, datasetName }, settings });
      const state = await watchJob(job, wait_sec, context);
      const { folder } = state;
      const shown =
        folder === null || show_records === 0 ? [] : await readPage(folder, { offset: 0, limit: show_records });
      return { ...state, records_shown: 'records' in shown ? shown.records : [] };
    },
    hints: { title: `Make ${name}`, ...CREATES, outputSchema },
  });
}

function columnsOf({ dataset }: FolderConfig): string {
  return dataset.columns
    .map(({ name, column_type: type, sampler_type: sampler }) => `${String(name)} (${String(sampler ?? type)})`)
    .join(', ');
}
