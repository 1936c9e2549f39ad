import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { formatOfFields, formatOfSchema, type RowFormat } from '@data-designer/columns';
import { checkOptions, copyDeclaration, isMapping, oneOf, optionRule } from '@data-designer/config';
import { type ArrowField, type CellValue, DataDesignerError, messageOf } from '@data-designer/core';
import {
  type ExportFormat,
  exportFormatOf,
  exportRows,
  makeFolder,
  readBatch,
  stampOfFiles,
} from '@data-designer/dataset';
import { EXPORT_FORMATS } from '@data-designer/dataset/formats';
import type { StopOptions } from '@data-designer/declaration';
import { invalidWorkflow } from './invalid-workflow.ts';
import { counted } from './inputs/make-input.ts';
import { contentOf, fieldsOfFile, type StageOutput } from './stage-output.ts';
import type { MapRows, Stage } from './stage.ts';
import type { MappedFile } from './workflow-metadata.ts';

type Row = Readonly<Record<string, CellValue>>;

/** The workflow's folder, and the file of an earlier run. */
interface MapPlace {
  readonly workflow: string;
  readonly folder: string;
  readonly was: MappedFile | undefined;
  readonly signals: Required<StopOptions>;
}

/** The fields of a stage's output: those of `outputFormat`, or of its own rows. Throws `config/invalid` and `workflow/invalid`. */
export function outputFields(stage: Stage, fields: readonly ArrowField[], workflow: string): readonly ArrowField[] {
  return stage.options.map ? formatOf(stage, fields, workflow).fields : fields;
}

function formatOf({ name: stage, options }: Stage, fields: readonly ArrowField[], workflow: string): RowFormat {
  const schema = schemaOf(stage, options.outputFormat);
  if (schema === undefined) return formatOfFields(fields);
  const format = isMapping(schema) ? formatOfSchema(schema) : undefined;
  if (format) return format;
  throw invalidWorkflow({ workflow, stage }, 'outputFormat is not the schema of an object with known columns');
}

function schemaOf(stage: string, outputFormat: unknown): unknown {
  return copyDeclaration(outputFormat, { path: 'outputFormat', source: `Stage '${stage}'` });
}

/** The rows that the `map` of a stage makes of its own, in a file; an earlier file of the same rows and function is used again. */
export async function mapOutput(
  stage: Stage,
  output: StageOutput,
  { workflow, folder, was, signals }: MapPlace,
): Promise<{ readonly output: StageOutput; readonly file: MappedFile | null }> {
  const { map, allowEmpty = false } = stage.options;
  if (!map) return { output, file: null };
  const format = formatOf(stage, output.fields, workflow);
  const path = `outputs/${stage.folder}.parquet`;
  const file = join(folder, path);
  const source = contentOfMap(stage, output);
  const origins = new Map(format.fields.map(({ name }) => [name, stage.name]));
  const { beginnings: _, ...own } = output;
  const mapped = { ...own, path, fields: format.fields, origins, records: () => readBatch(file) };
  if (was && was.source === source && was.stamp === (await stampOfFiles([file])))
    return { output: { ...mapped, rows: was.rows, content: was.hash, stamp: was.stamp }, file: was };
  await makeFolder(dirname(file));
  let rows = 0;
  const at = { workflow, stage: stage.name };
  const made = mappedRows(map, output.records(), { ...at, accept: format.accept, signals });
  const records = counted(made, () => rows++);
  await exportRows({ fields: format.fields, records }, file, 'parquet');
  if (rows === 0 && !allowEmpty)
    throw new DataDesignerError('workflow/map-failed', { ...at, reason: 'it returned no rows' });
  const [hash, stamp] = [await contentOf([file]), await stampOfFiles([file])];
  return { output: { ...mapped, rows, content: hash, stamp }, file: { path, rows, stamp, hash, source } };
}

const EXPORT_RULES = { format: oneOf('an export format', EXPORT_FORMATS), escape: optionRule.flag };

/** Exports the rows of a `map`. Throws `config/invalid` and `dataset/*`. */
export async function exportMapped(
  file: string,
  path: string,
  options: { readonly format?: unknown; readonly escape?: unknown },
): Promise<string> {
  checkOptions(options, EXPORT_RULES, 'export() of rows of a map');
  const { format = exportFormatOf(path), escape = true } = options;
  const { fields = [] } = await fieldsOfFile(file, dirname(file));
  await exportRows({ fields, records: readBatch(file) }, path, {
    format: format as ExportFormat,
    escape: escape === true,
  });
  return path;
}

/** A hash of everything that the mapped rows follow from, but not of what the function closes over. */
function contentOfMap({ name, options: { map, outputFormat } }: Stage, { content }: StageOutput): string {
  const parts = [content, String(map), schemaOf(name, outputFormat) ?? null];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

interface Mapping extends Pick<RowFormat, 'accept'>, Pick<MapPlace, 'workflow' | 'signals'> {
  readonly stage: string;
}

/** Calls the function, and checks each row that it returns. */
async function* mappedRows(
  map: MapRows,
  records: AsyncIterable<Row>,
  { accept, workflow, stage, signals }: Mapping,
): AsyncGenerator<Record<string, CellValue>> {
  let read = 0;
  let returned = 0;
  const failed = (reason: string, cause?: unknown) =>
    new DataDesignerError('workflow/map-failed', { workflow, stage, reason }, { cause });
  const given = (async function* () {
    for await (const row of counted(records, () => read++)) {
      const aborted = [signals.signal, signals.drain].find((one) => one.aborted);
      if (aborted) throw new DataDesignerError('run/aborted', { reason: messageOf(aborted.reason) });
      yield row;
    }
  })();
  try {
    const rows: unknown = await map(given as AsyncIterable<never>);
    if (!isIterable(rows)) throw failed('it did not return rows: use a generator, or return a list');
    for await (const row of rows) {
      const accepted = accept(row);
      if (typeof accepted === 'string') throw failed(`row ${returned} that it returned cannot be used: ${accepted}`);
      returned++;
      yield { ...accepted };
    }
  } catch (thrown) {
    if (thrown instanceof DataDesignerError) throw thrown;
    const where = read === 0 ? 'before it read a row' : `after it read row ${read - 1}`;
    throw failed(`it threw ${where}: ${messageOf(thrown)}`, thrown);
  }
}

function isIterable(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}
