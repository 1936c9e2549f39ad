import { basename, dirname, resolve } from 'node:path';
import { parseForm } from '@data-designer/config';
import { isWebAddress } from '@data-designer/core';
import { z } from 'zod';
import type { Declaration } from '../declaration/declaration.ts';
import type { ComposedWorkflow } from './composed-workflow.ts';
import type { StageOptions } from './stage.ts';

const stageSchema = z.strictObject({
  name: z.string().min(1).describe('The name of the stage and of its folder.'),
  config: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe("A config file, relative to the workflow's file, or the config itself; default: no columns."),
  rows: z.number().int().min(1).optional().describe('Rows of the stage; default: as many as its input has.'),
  expand: z.string().optional().describe('Makes one input row of each element of this list column.'),
  group: z
    .strictObject({
      by: z.union([z.string(), z.array(z.string()).min(1)]).describe('The columns whose values a group shares.'),
      collect: z.array(z.string()).describe('Columns whose values become a list.'),
    })
    .optional()
    .describe('Makes one input row of several rows.'),
});

const flowSchema = z.strictObject({
  name: z.string().optional().describe('The name of the workflow and of its folder; default: the name of the file.'),
  stages: z.array(stageSchema).min(1).describe('The stages, in order.'),
});

/** The stages of a workflow in a file. */
export interface Flow {
  readonly name: string;
  readonly stages: readonly FlowStage[];
}

interface FlowStage {
  readonly name: string;
  readonly declared: Declaration;
  readonly options: StageOptions;
}

/** Reads the stages of a workflow and their configs with `readConfig`. Throws `config/invalid` and `config/unreadable`. */
export async function readFlow(
  { document, source }: Declaration,
  readConfig: (path: string) => Promise<Declaration>,
): Promise<Flow> {
  const { name, stages } = parseForm(flowSchema, document, { source });
  const folder = isWebAddress(source) ? '.' : dirname(source);
  const read: FlowStage[] = [];
  for (const { name: stage, config = { columns: [] }, ...options } of stages) {
    const declared =
      typeof config === 'string'
        ? await readConfig(isWebAddress(config) ? config : resolve(folder, config))
        : { document: config, source: `Stage '${stage}' of ${source}` };
    read.push({ name: stage, declared, options: givenOptions(options) });
  }
  return { name: name ?? basename(source).replace(/\.[a-z]+$/i, ''), stages: read };
}

function givenOptions({ rows, expand, group }: Omit<z.output<typeof stageSchema>, 'name' | 'config'>): StageOptions {
  return { ...(rows !== undefined && { rows }), ...(expand !== undefined && { expand }), ...(group && { group }) };
}

/** Adds the stages of a file to a workflow. `rows` are those of the first stage. */
export function addStages(workflow: ComposedWorkflow, flow: Flow, rows?: number): ComposedWorkflow {
  for (const [index, { name, declared, options }] of flow.stages.entries()) {
    workflow.addStage(name, declared, index === 0 && rows !== undefined ? { ...options, rows } : options);
  }
  return workflow;
}
