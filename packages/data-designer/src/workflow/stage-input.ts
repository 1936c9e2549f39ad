import { createHash } from 'node:crypto';
import { dirname, join as joinPath } from 'node:path';
import { copyTextPart, isMapping, type Mapping } from '@data-designer/config';
import { type ArrowField, type CellValue, DataDesignerError, stringifyJson } from '@data-designer/core';
import { exportRows, makeFolder, readReviews, ReviewedExport, stampOfFiles } from '@data-designer/dataset';
import type { Declared } from '../declaration/declaration.ts';
import { invalidWorkflow } from './invalid-workflow.ts';
import { joinRows, type JoinedRows } from './join-rows.ts';
import { type ReshapedRows, reshapeRows } from './reshape-rows.ts';
import { counted, INPUTS, type Origins, type StageOutput } from './stage-output.ts';
import type { Stage, StageInput as GivenInput } from './stage.ts';
import type { StaleReviews, UnmatchedRows } from './workflow-event.ts';
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
  /** Rows that a join has left out. */
  readonly unmatched: readonly UnmatchedRows[];
  /** Reviews that had no effect. */
  readonly stale: readonly StaleReviews[];
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

/** How the rows of stages become the input of another. */
interface InputShape {
  readonly fields: readonly ArrowField[];
  readonly origins: Origins;
  readonly joined: JoinedRows | undefined;
  readonly reshaped: ReshapedRows | undefined;
}

/** How the input of a stage is made of these outputs. Throws `workflow/invalid`. */
function shapeInput(
  { name, options }: Stage,
  outputs: readonly [PlannedOutput, ...PlannedOutput[]],
  workflow: string,
): InputShape {
  const at = { workflow, stage: name };
  const joined = options.join && joinRows(outputs, options.join);
  if (typeof joined === 'string') throw invalidWorkflow(at, joined);
  const { fields } = joined ?? outputs[0];
  const reshaped = reshapeRows(fields, options);
  if (typeof reshaped === 'string') throw invalidWorkflow(at, reshaped);
  return { fields: reshaped?.fields ?? fields, origins: originsOfInput(name, outputs, options), joined, reshaped };
}

/** Which stages have made the columns of an input; columns that become lists, or cease to be lists, are its stage's own. */
function originsOfInput(
  stage: string,
  outputs: readonly PlannedOutput[],
  { expand, group }: Stage['options'],
): Origins {
  const origins = new Map(outputs.toReversed().flatMap((output) => [...output.origins]));
  const changed = [...(expand === undefined ? [] : [expand]), ...(group?.collect ?? [])];
  for (const name of changed) origins.set(name, stage);
  return origins;
}

/** The outputs that a stage reads, in the order of its `from`; undefined if it reads none. */
function outputsFor<Output>(
  { name, dependsOn }: Stage,
  outputs: ReadonlyMap<string, Output>,
): readonly [Output, ...Output[]] | undefined {
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
 * The seed of a stage: the output of the stage that it reads, or a file with the reviewed, joined, expanded or grouped rows.
 * Undefined for a stage without input. Throws `workflow/*`.
 */
export async function prepareInput(
  stage: Stage,
  outputs: ReadonlyMap<string, StageOutput>,
  place: WorkflowPlace,
): Promise<PreparedInput | undefined> {
  const from = outputsFor(stage, outputs);
  if (!from) return undefined;
  const { reviews } = stage.options;
  const [read, stale] = reviews ? await reviewedOutputs(from, reviews) : [from, []];
  const [{ path, rows, content }] = read;
  const shape = shapeInput(stage, read, place.workflow);
  const { fields, origins } = shape;
  const aliases = aliasesOf(read);
  const rowsOf = (before: string) => rowsBefore(read[0], (first) => first === before);
  const input = { path, fields, origins, rows, content, rowsOf, aliases, file: null, unmatched: [], stale };
  if (!shape.joined && !shape.reshaped && !reviews) return input;
  const was = place.metadata?.of(stage.name);
  const made = {
    ...input,
    path: `${INPUTS}/${stage.folder}.parquet`,
    content: contentOfInput(stage, [read[0].content, ...read.slice(1).map((output) => output.content)]),
    rowsOf: (before: string) => rowsOfShaped(stage, read, { before, had: was?.input_file?.rows }),
  };
  const file = joinPath(place.folder, made.path);
  if (was?.input_file && was.identity.input === made.content && was.input_file.stamp === (await stampOfFiles([file])))
    return { ...made, rows: was.input_file.rows, file: was.input_file };
  const written = await writeInput(stage, read, { ...shape, workflow: place.workflow, file });
  return { ...made, ...written, file: { rows: written.rows, stamp: await stampOfFiles([file]) } };
}

/** The outputs with the rows that reviewers left, and the reviews that had no effect. A rehearsed output has no reviews. */
async function reviewedOutputs(
  outputs: readonly [StageOutput, ...StageOutput[]],
  reviews: NonNullable<Stage['options']['reviews']>,
): Promise<readonly [[StageOutput, ...StageOutput[]], readonly StaleReviews[]]> {
  const stale: StaleReviews[] = [];
  const reviewed = async (output: StageOutput): Promise<StageOutput> => {
    const { reviewed: folder, fields, content, stage } = output;
    if (folder === undefined) return output;
    const use = { applyEdits: true, acceptedOnly: reviews === 'accepted', dropRejected: true };
    const positions: number[] = [];
    let [accepted, rejected] = [0, 0];
    const hash = createHash('sha256').update(JSON.stringify([content, reviews]));
    for await (const { isStale, row, verdict, edits } of readReviews(folder)) {
      if (isStale) {
        positions.push(row);
        continue;
      }
      if (verdict === 'reject') rejected++;
      else if (verdict !== null) accepted++;
      hash.update(stringifyJson([row, verdict, edits]));
    }
    if (positions.length > 0) stale.push({ stage, rows: positions });
    const rows = reviews === 'accepted' ? accepted : output.rows - rejected;
    return {
      ...output,
      rows,
      content: hash.digest('hex'),
      records: () => new ReviewedExport(folder, fields, use).records(),
    };
  };
  const [first, ...others] = outputs;
  return [[await reviewed(first), ...(await Promise.all(others.map(reviewed)))], stale];
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

/**
 * The same for a file of input rows. Expanded rows are added behind as the rows of their stage are; a group may grow, a join may
 * find further partners, and reviews may change.
 */
async function rowsOfShaped(
  stage: Stage,
  [output, ...others]: readonly [StageOutput, ...StageOutput[]],
  { before, had }: { readonly before: string; readonly had: number | undefined },
): Promise<number | undefined> {
  const { group, join, reviews } = stage.options;
  if (group || join || reviews || others.length > 0) return undefined;
  const found = await rowsBefore(output, (content) => contentOfInput(stage, [content]) === before);
  return found === undefined ? undefined : had;
}

/** A hash of everything that the rows of an input follow from. */
function contentOfInput({ options: { expand, group, join } }: Stage, contents: readonly string[]): string {
  const parts = [...contents, expand ?? null, group ?? null, ...(join ? [join] : [])];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Writes the reviewed, joined, expanded or grouped rows. */
async function writeInput(
  stage: Stage,
  outputs: readonly [StageOutput, ...StageOutput[]],
  { joined, reshaped, fields, workflow, file }: InputShape & { readonly workflow: string; readonly file: string },
): Promise<Pick<PreparedInput, 'rows' | 'unmatched'>> {
  const at = { workflow, stage: stage.name };
  const fail = (reason: string) => invalidWorkflow(at, reason);
  const join = joined ? await joined.join(outputs, fail) : { records: outputs[0].records(), unmatched: [] };
  await makeFolder(dirname(file));
  let rows = 0;
  const records = counted(reshaped ? reshaped.reshape(join.records) : join.records, () => rows++);
  await exportRows({ fields, records }, file, 'parquet');
  if (rows > 0) return { rows, unmatched: join.unmatched };
  throw new DataDesignerError('workflow/no-rows', {
    ...at,
    reason: noRowsReason(outputs[0].stage, stage.options),
  });
}

function noRowsReason(from: string, { expand, reviews }: Pick<Stage['options'], 'expand' | 'reviews'>): string {
  if (expand !== undefined) return `every list of '${expand}' is empty`;
  if (reviews === 'accepted')
    return `no row of '${from}' is accepted; review them with \`data-designer view\`, and resume`;
  return reviews ? `all rows of '${from}' are rejected` : `no row of '${from}' has a partner`;
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
  const shape = shapeInput(stage, read, place.workflow);
  const fields = shape.fields.map((one) => ({ ...one, nullable: true }));
  const nulls: Record<string, CellValue> = Object.fromEntries(fields.map(({ name }) => [name, null]));
  const path = `${stage.folder}.parquet`;
  await exportRows({ fields, records: oneRow(nulls) }, joinPath(place.folder, path), 'parquet');
  const { origins } = shape;
  return {
    path,
    fields,
    origins,
    rows: 1,
    content: '',
    rowsOf: async () => undefined,
    aliases: aliasesOf(read),
    file: null,
    unmatched: [],
    stale: [],
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
