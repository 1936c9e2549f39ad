import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isMapping, type Mapping } from '@data-designer/config';
import { type ArrowField, type CellValue, DataDesignerError } from '@data-designer/core';
import { exportRows, makeFolder } from '@data-designer/dataset';
import type { Declared } from '../declaration/declaration.ts';
import { invalidWorkflow } from './invalid-workflow.ts';
import { reshapeRows } from './reshape-rows.ts';
import { counted, INPUTS, type StageOutput } from './stage-output.ts';
import type { Stage, StageInput as GivenInput } from './stage.ts';

/** The seed of a stage. */
export interface PreparedInput {
  /** The files, relative to the workflow's folder. */
  readonly path: string;
  readonly fields: readonly ArrowField[];
  readonly rows: number;
  /** A hash of the rows. */
  readonly content: string;
  readonly aliases: StageOutput['aliases'];
}

/** The folder of a workflow, with its name for messages. */
export interface WorkflowPlace {
  readonly workflow: string;
  readonly folder: string;
}

/** The seed of a stage: the output before it, or a file with its expanded or grouped rows. Throws `workflow/*`. */
export async function prepareInput(
  stage: Stage,
  output: StageOutput,
  { workflow, folder }: WorkflowPlace,
): Promise<PreparedInput> {
  const at = { workflow, stage: stage.name };
  const { fields, rows, content, aliases } = output;
  const reshaped = reshapeRows(fields, stage.options);
  if (typeof reshaped === 'string') throw invalidWorkflow(at, reshaped);
  if (!reshaped) return { path: output.path, fields, rows, content, aliases };
  const path = `${INPUTS}/${stage.folder}.parquet`;
  await makeFolder(join(folder, INPUTS));
  let made = 0;
  const records = counted(reshaped.reshape(output.records()), () => made++);
  await exportRows({ fields: reshaped.fields, records }, join(folder, path), 'parquet');
  if (made === 0)
    throw new DataDesignerError('workflow/no-rows', {
      ...at,
      reason: `every list of '${stage.options.expand}' is empty`,
    });
  const { expand, group } = stage.options;
  const hash = createHash('sha256').update(JSON.stringify([content, expand ?? null, group ?? null]));
  return { path, fields: reshaped.fields, rows: made, content: hash.digest('hex'), aliases };
}

/** A file with one row of nulls, which stands for the rows of a stage that is not made yet. */
export async function sampleInput(
  stage: Stage,
  output: Omit<StageOutput, 'records'>,
  place: WorkflowPlace,
): Promise<PreparedInput> {
  const nulls: Record<string, CellValue> = Object.fromEntries(output.fields.map(({ name }) => [name, null]));
  const reshaped = reshapeRows(output.fields, stage.options);
  if (typeof reshaped === 'string') throw invalidWorkflow({ workflow: place.workflow, stage: stage.name }, reshaped);
  const fields = (reshaped?.fields ?? output.fields).map((one) => ({ ...one, nullable: true }));
  const path = `${stage.folder}.parquet`;
  await exportRows({ fields, records: oneRow(nulls) }, join(place.folder, path), 'parquet');
  return { path, fields, rows: 1, content: '', aliases: output.aliases };
}

async function* oneRow(row: Record<string, CellValue>): AsyncGenerator<Record<string, CellValue>> {
  yield row;
}

/** The config of a stage, with its input as its seed. */
export async function declareStage(
  stage: Stage,
  input: PreparedInput | undefined,
  { folder }: WorkflowPlace,
): Promise<Declared> {
  const config: unknown = stage.config;
  const declared = (
    typeof config === 'function' ? await (config as Maker)(await givenInput(input)) : config
  ) as Declared;
  if (!input || !isMapping(declared.document)) return declared;
  const { document, source, spelling } = declared;
  const wrapped = isMapping(document['data_designer']) ? document['data_designer'] : document;
  const seeded = withSeed(wrapped, spelling, input.path);
  return {
    document: wrapped === document ? seeded : { ...document, data_designer: seeded },
    source,
    ...(spelling && { spelling }),
    origin: 'local',
    folder,
    passesSeedOn: true,
  };
}

type Maker = (from: GivenInput) => Declared | Promise<Declared>;

/** The document with the input as the source of its seed, in the order that the document gives its seed. */
function withSeed(document: Mapping, spelling: Declared['spelling'], path: string): Mapping {
  const camel = spelling === 'camel';
  const key = camel ? 'seedConfig' : 'seed_config';
  const own = document[key];
  const source = camel ? { seedType: 'local', path } : { seed_type: 'local', path };
  return { ...document, [key]: { ...(isMapping(own) ? own : {}), source } };
}

async function givenInput(input: PreparedInput | undefined): Promise<GivenInput> {
  const { DataDesignerConfigBuilder: Builder } = await import('../config-builder.ts');
  if (!input) return { columns: [], builder: () => new Builder() as never };
  const { modelConfigs, toolConfigs } = input.aliases;
  const start = await Builder.fromConfig({ columns: [], modelConfigs, toolConfigs });
  return {
    columns: input.fields.map(({ name }) => name),
    builder: () =>
      new Builder({ modelConfigs: start.modelConfigs, toolConfigs: start.toolConfigs }).withSeedDataset<
        Record<string, unknown>
      >({ seedType: 'local', path: input.path }),
  };
}
