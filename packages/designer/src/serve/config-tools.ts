import { z } from 'zod';
import type { ColumnRegistry } from '@data-designer/config';
import { defineTool, type ToolDefinition } from '@data-designer/mcp';
import { clientConfig, clientDeclaration } from './client-config.ts';
import type { DatasetMaker } from './dataset-maker.ts';
import { datasetState } from './job.ts';
import { CREATES, READS } from './tool-hints.ts';
import { numRecords, readArguments, settingParameters } from './run-parameters.ts';

/** The maximum number of records of a preview. */
const MAX_PREVIEW_RECORDS = 20;

const violation = z.object({
  level: z.enum(['ERROR', 'WARNING']),
  stage: z.string(),
  type: z.string(),
  file: z.string().nullable(),
  path: z.string(),
  line: z.number().nullable(),
  column: z.number().nullable(),
  columnName: z.string().nullable(),
  message: z.string(),
  remedy: z.string(),
  frame: z.string().nullable(),
});

/** The tools that validate or preview a client's config. */
export function configTools(maker: DatasetMaker, registry: ColumnRegistry): readonly ToolDefinition[] {
  return [validateTool(maker, registry), previewTool(maker, registry)];
}

function validateTool(maker: DatasetMaker, registry: ColumnRegistry): ToolDefinition {
  const outputSchema = z.object({
    valid: z.boolean().describe('Whether the config loads and is consistent.'),
    runnable: z.boolean().describe('Whether a run could start on this server, with the keys that are set there.'),
    violations: z.array(violation),
    columns: z.array(z.string()),
    fingerprint: z.string().nullable(),
  });
  return defineTool({
    name: 'validate_config',
    description: 'Finds every mistake in a dataset config that can be found without sending a request to a model.',
    parameters: z.strictObject({ config: clientConfig }),
    execute: async ({ config }) => {
      const report = await maker.check(clientDeclaration(config, maker, registry));
      const { valid, runnable, violations, normalized, fingerprint } = report;
      const columns = normalized?.data_designer.columns.map(({ name }) => String(name)) ?? [];
      return { valid, runnable, violations, columns, fingerprint };
    },
    hints: { title: 'Validate a config', ...READS, outputSchema },
  });
}

function previewTool(maker: DatasetMaker, registry: ColumnRegistry): ToolDefinition {
  const most = Math.min(MAX_PREVIEW_RECORDS, maker.settings.maxRecords);
  const outputSchema = z.object({
    records: z.array(z.record(z.string(), z.unknown())),
    ...datasetState.pick({ requested: true, lost: true, warnings: true, cost: true }).shape,
  });
  return defineTool({
    name: 'preview_config',
    description:
      'Makes a few records from a dataset config and returns them; nothing is stored. Requests go to the models.',
    parameters: z.strictObject({
      config: clientConfig,
      num_records: numRecords(most, 2),
      ...settingParameters,
    }),
    execute: async ({ config, ...given }, { signal }) => {
      const declaration = clientDeclaration(config, maker, registry);
      const { results, warnings } = await maker.preview({ declaration, ...readArguments(given) }, signal);
      const { requested, cost } = results;
      const lost = results.lost.map(({ rows, column, message }) => ({ rows, column, message }));
      return { records: await Array.fromAsync(results.records()), requested, lost, warnings, cost };
    },
    hints: { title: 'Preview a config', ...CREATES, outputSchema },
  });
}
