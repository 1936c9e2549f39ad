import { dirname, join as joinPath } from 'node:path';
import { copyTextPart, isMapping, type Mapping } from '@data-designer/config';
import { type ArrowField, type CellValue, DataDesignerError } from '@data-designer/core';
import { exportRows, makeFolder, stampOfFiles } from '@data-designer/dataset';
import type { Declared } from '@data-designer/declaration';
import { invalidWorkflow } from './invalid-workflow.ts';
import type { GivenInput as GivenKind, InputFinding, Origins, Several, StageColumns } from './inputs/input-kind.ts';
import { contentAfter, counted, type InputPlan, type InputStep, planInput, shapeOf } from './inputs/make-input.ts';
import { inputsIn } from './inputs/stage-inputs.ts';
import { INPUTS, type StageOutput } from './stage-output.ts';
import type { Stage, StageInput as GivenInput } from './stage.ts';
import type { InputFile, WorkflowMetadata } from './workflow-metadata.ts';

/** The seed of a stage. */
export interface PreparedInput {
  /** The files, relative to the workflow's folder. */
  readonly path: string;
  readonly fields: readonly ArrowField[];
  readonly origins: Origins;
  readonly rows: number;
  /** A hash of the rows. */
  readonly content: string;
  /** How many rows an earlier input with this content had, if this one begins with them; undefined if it need not. */
  readonly rowsOf: (content: string) => Promise<number | undefined>;
  readonly aliases: StageOutput['aliases'];
  /** Its file, if it is not the output of a stage as it is. */
  readonly file: InputFile | null;
  /** The kinds that have made its rows; their numbers count once the file is written. */
  readonly steps: readonly InputStep[];
  /** What the user should know of its rows. */
  readonly findings: readonly InputFinding[];
}

/** The folder of a workflow, with its name for messages. */
export interface WorkflowPlace {
  readonly workflow: string;
  readonly folder: string;
  /** The record of an earlier run, whose input files are used again. */
  readonly metadata?: Pick<WorkflowMetadata, 'of'>;
}

/** What is known of a stage's output before its rows are made. */
export type PlannedOutput = Pick<StageOutput, 'stage' | 'fields' | 'origins' | 'aliases'>;

/** The outputs that a stage reads, in the order of its `from`; undefined if it reads none. */
function outputsFor<Output>(
  { name, dependsOn }: Stage,
  outputs: ReadonlyMap<string, Output>,
): Several<Output> | undefined {
  const [first, ...others] = dependsOn.map((stage) => {
    const output = outputs.get(stage);
    if (output) return output;
    throw new DataDesignerError('internal/unexpected', {
      reason: `stage '${name}' reads '${stage}' before it is made`,
    });
  });
  return first && [first, ...others];
}

/**
 * The seed of a stage: the output of the stage that it reads, or a file with the rows that the kinds of its options make.
 * Undefined for a stage without input. Throws `workflow/*`.
 */
export async function prepareInput(
  stage: Stage,
  outputs: ReadonlyMap<string, StageOutput>,
  place: WorkflowPlace,
): Promise<PreparedInput | undefined> {
  const read = outputsFor(stage, outputs);
  if (!read) return undefined;
  const kinds = inputsIn(stage.options);
  const { fields, origins } = columnsOf(stage, read, place);
  const [{ path, rows, content }] = read;
  const aliases = aliasesOf(read);
  const input = { path, fields, origins, rows, content, aliases, file: null, steps: [], findings: [] };
  if (kinds.length === 0)
    return { ...input, rowsOf: (before: string) => rowsBefore(read[0], (first) => first === before) };
  const was = place.metadata?.of(stage.name);
  const at = { workflow: place.workflow, stage: stage.name };
  const fail = (reason: string) => invalidWorkflow(at, reason);
  const plan = await planInput(kinds, read, { stage: stage.name, fail });
  const { steps, findings } = plan;
  const had = was?.input_file?.rows;
  const made = {
    ...input,
    path: `${INPUTS}/${stage.folder}.parquet`,
    content: plan.content,
    rowsOf: (before: string) => rowsOfMade(kinds, read, { before, had }),
    steps,
    findings,
  };
  const file = joinPath(place.folder, made.path);
  if (was?.input_file && was.identity.input === made.content && was.input_file.stamp === (await stampOfFiles([file])))
    return { ...made, rows: was.input_file.rows, file: was.input_file };
  const written = await writeInput({ ...plan, fields }, file, at);
  return { ...made, rows: written, file: { rows: written, stamp: await stampOfFiles([file]) } };
}

/** The columns of the input of a stage. Throws `workflow/invalid`. */
function columnsOf(
  { name, options }: Stage,
  outputs: Several<StageColumns>,
  { workflow }: WorkflowPlace,
): Pick<StageColumns, 'fields' | 'origins'> {
  const shape = shapeOf(inputsIn(options), outputs, name);
  if (typeof shape === 'string') throw invalidWorkflow({ workflow, stage: name }, shape);
  return shape;
}

/** The rows of the first files of an output whose content `is` the one in question. */
async function rowsBefore(
  { beginnings }: Pick<StageOutput, 'beginnings'>,
  is: (content: string) => boolean,
): Promise<number | undefined> {
  if (!beginnings) return undefined;
  for await (const { content, rows } of beginnings()) if (is(content)) return rows();
  return undefined;
}

/** The same for a file of rows that kinds have made. A group may grow, a join find further partners, and reviews change. */
async function rowsOfMade(
  kinds: readonly GivenKind[],
  [output, ...others]: Several<StageOutput>,
  { before, had }: { readonly before: string; readonly had: number | undefined },
): Promise<number | undefined> {
  if (others.length > 0 || !kinds.every(({ addsBehind }) => addsBehind)) return undefined;
  const madeOf = (content: string) => kinds.reduce((made, kind) => contentAfter(kind, [made]), content);
  return (await rowsBefore(output, (content) => madeOf(content) === before)) === undefined ? undefined : had;
}

/** Writes the rows of an input, and returns their number. Throws `workflow/no-rows` where there is none. */
async function writeInput(
  { fields, records, steps }: InputPlan,
  file: string,
  at: { readonly workflow: string; readonly stage: string },
): Promise<number> {
  await makeFolder(dirname(file));
  let rows = 0;
  await exportRows({ fields, records: counted(records(), () => rows++) }, file, 'parquet');
  if (rows > 0) return rows;
  const lost = steps.find((step) => step.rows() === 0);
  const reason = lost?.kind.noRows(lost.before.stage) ?? 'it has no rows';
  throw new DataDesignerError('workflow/no-rows', { ...at, reason });
}

/** The models and tool configs of several stages; of two with one alias the first counts. */
function aliasesOf(outputs: readonly PlannedOutput[]): StageOutput['aliases'] {
  const [first, ...others] = outputs.map(({ aliases }) => aliases);
  if (!first || others.length === 0) return first ?? { modelConfigs: [], toolConfigs: [] };
  const all = [first, ...others];
  return {
    modelConfigs: firstOfEach(all.flatMap(({ modelConfigs }) => modelConfigs)),
    toolConfigs: firstOfEach(all.flatMap(({ toolConfigs }) => toolConfigs)),
  };
}

/** Configs without those whose alias an earlier one has. */
function firstOfEach(configs: readonly unknown[]): readonly unknown[] {
  const known = new Set<unknown>();
  return configs.filter((config) => {
    const named = isMapping(config) ? config : {};
    const alias = ['alias', 'toolAlias', 'tool_alias'].map((key) => named[key]).find((name) => name !== undefined);
    if (known.has(alias)) return false;
    known.add(alias);
    return true;
  });
}

/** A file with one row of nulls, which stands for the rows of stages that are not made yet. */
export async function sampleInput(
  stage: Stage,
  outputs: ReadonlyMap<string, PlannedOutput>,
  place: WorkflowPlace,
): Promise<PreparedInput | undefined> {
  const read = outputsFor(stage, outputs);
  if (!read) return undefined;
  const { fields: columns, origins } = columnsOf(stage, read, place);
  const fields = columns.map((one) => ({ ...one, nullable: true }));
  const nulls: Record<string, CellValue> = Object.fromEntries(fields.map(({ name }) => [name, null]));
  const path = `${stage.folder}.parquet`;
  await exportRows({ fields, records: oneRow(nulls) }, joinPath(place.folder, path), 'parquet');
  return {
    path,
    fields,
    origins,
    rows: 1,
    content: '',
    rowsOf: async () => undefined,
    aliases: aliasesOf(read),
    file: null,
    steps: [],
    findings: [],
  };
}

async function* oneRow(row: Record<string, CellValue>): AsyncGenerator<Record<string, CellValue>> {
  yield row;
}

/** The config of a stage, with its input as its seed. */
export async function declareStage(
  stage: Stage,
  input: PreparedInput | undefined,
  { workflow, folder }: WorkflowPlace,
): Promise<Declared> {
  const config: unknown = stage.config;
  const declared = (
    typeof config === 'function' ? await (config as Maker)(await givenInput(input)) : config
  ) as Declared;
  const { select } = stage.options;
  if ((!input && !select) || !isMapping(declared.document)) return declared;
  const { document, spelling } = declared;
  const wrapped = isMapping(document['data_designer']) ? document['data_designer'] : document;
  if (select && wrapped['select'] !== undefined && wrapped['select'] !== null)
    throw invalidWorkflow({ workflow, stage: stage.name }, 'both the stage and its config have select');
  const selecting = select ? { ...wrapped, select } : wrapped;
  const changed = copyTextPart(wrapped, input ? withSeed(selecting, spelling, input.path) : selecting);
  const stageDocument =
    wrapped === document ? changed : copyTextPart(document, { ...document, data_designer: changed });
  if (!input) return { ...withoutDocument(declared), document: stageDocument };
  return { ...withoutDocument(declared), document: stageDocument, folder, passesSeedOn: true };
}

/** The parts of a declaration that say how its document is read; a builder has them as getters. */
function withoutDocument({ source, spelling, origin, folder }: Declared): Omit<Declared, 'document'> {
  return { source, ...(spelling && { spelling }), ...(origin && { origin }), ...(folder !== undefined && { folder }) };
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
  const { DataDesignerConfigBuilder: Builder } = await import('@data-designer/declaration/config-builder');
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
