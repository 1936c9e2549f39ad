import { z } from 'zod';
import { selectConfig } from '@data-designer/config';
import { inputSchemas } from './inputs/stage-inputs.ts';

const stageSchema = z.strictObject({
  name: z.string().min(1).describe('The name of the stage and of its folder.'),
  config: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe("A config file, relative to the workflow's file, or the config itself; default: no columns."),
  rows: z.number().int().min(1).optional().describe('Rows of the stage; default: as many as its input has.'),
  from: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('The stage, or stages, whose output it reads; default: the stage before it. An empty list: none.'),
  ...inputSchemas(),
  select: selectConfig.optional().describe('Which of its rows the stage keeps, as in a config.'),
  map: z
    .never({ error: "a map is a function: only a program can pass it to 'addStage'" })
    .optional()
    .describe('Only for programs: a function over the rows of the stage.'),
});

/** The file of a workflow. */
export const flowSchema = z.strictObject({
  name: z.string().optional().describe('The name of the workflow and of its folder; default: the name of the file.'),
  stages: z.array(stageSchema).min(1).describe('The stages; each may read any other.'),
});

/** A stage in a file. */
export type FlowStageForm = z.output<typeof stageSchema>;
