import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { ArrowField, Finding } from '@data-designer/core';
import { countRows } from '@data-designer/dataset/parquet';
import { exportRows, hashFile, makeFolder, readBatch, readDataset, stampOfFiles } from '@data-designer/dataset';
import { findTable } from '@data-designer/config';
import type { DatasetCreationResults } from '@data-designer/results';
import type { Origins, StageRows } from './inputs/input-kind.ts';
import { counted } from './inputs/make-input.ts';
import { invalidWorkflow } from './invalid-workflow.ts';
import type { CompiledStage } from './stage-maker.ts';
import type { Stage } from './stage.ts';
import type { StageRecord } from './workflow-metadata.ts';

/** The first files of an output. */
interface Beginning {
  readonly content: string;
  /** Counts their rows. */
  readonly rows: () => Promise<number>;
}

/** Rows that a stage hands to the next. */
export interface StageOutput extends StageRows {
  /** The files: one, or `<folder>/*.parquet`, relative to the workflow's folder. */
  readonly path: string;
  /** A hash of the content. */
  readonly content: string;
  /** The stamp of the hashed files. */
  readonly stamp: string;
  /** The content of its first file, of its first two and so on, where rows are only added behind; absent for other files. */
  readonly beginnings?: () => AsyncIterable<Beginning>;
  readonly aliases: CompiledStage['aliases'];
}

/** The folder of the workflow, the columns of the stage's input, and what is recorded of the output. */
interface FinishedStage {
  readonly inherited: Origins | undefined;
  readonly folder: string;
  readonly content: StageRecord['output_content'];
}

/** The folder of input files that are not a stage's own. */
export const INPUTS = 'inputs';

/** The rows of a finished stage. Its files are hashed unless the hash of `content` is of the same files. */
export async function outputOf(
  stage: Stage,
  results: DatasetCreationResults,
  { plan, aliases, folder, inherited, content }: Pick<CompiledStage, 'plan' | 'aliases'> & FinishedStage,
): Promise<StageOutput> {
  const path = `${stage.folder}/parquet-files/*.parquet`;
  const files = filesOf(path, folder);
  const stamp = await stampOfFiles(files);
  return {
    stage: stage.name,
    path,
    fields: plan.fields,
    origins: originsOf(stage.name, plan, inherited),
    rows: results.count,
    content: content?.stamp === stamp ? content.hash : await contentOf(files),
    stamp,
    beginnings: () => beginningsOf(files),
    records: () => readDataset(join(folder, stage.folder)),
    aliases,
    reviewed: join(folder, stage.folder),
  };
}

/** The stages whose values the columns of a plan have: columns that pass through keep theirs. */
export function originsOf(stage: string, { fields, columns }: CompiledStage['plan'], inherited?: Origins): Origins {
  const own = new Set(
    columns
      .filter(({ config }) => config.columnType !== 'seed-dataset')
      .flatMap(({ writes }) => writes.map(({ name }) => name)),
  );
  return new Map(fields.map(({ name }) => [name, own.has(name) ? stage : (inherited?.get(name) ?? stage)]));
}

/** The rows of a Parquet file that replaces a stage's output; the workflow's folder keeps a copy with the types of all rows. */
export async function overriddenOutput(
  output: StageOutput,
  file: string,
  { workflow, folder }: { readonly workflow: string; readonly folder: string },
): Promise<StageOutput> {
  const at = { workflow, stage: output.stage };
  const { fields, findings } = await fieldsOfFile(file, folder);
  if (!fields || findings.some(({ level }) => level === 'ERROR'))
    throw invalidWorkflow(at, `the override ${file} cannot be read: ${findings.map((one) => one.message).join(' ')}`);
  const path = `${INPUTS}/${output.stage}.override.parquet`;
  const copy = join(folder, path);
  await makeFolder(join(folder, INPUTS));
  let rows = 0;
  await exportRows({ fields, records: counted(readBatch(resolve(file)), () => rows++) }, copy, 'parquet');
  const [content, stamp] = [await contentOf([copy]), await stampOfFiles([copy])];
  const { reviewed: _, beginnings: _b, ...made } = output;
  return { ...made, path, fields, rows, content, stamp, records: () => readBatch(copy) };
}

/** The columns of a Parquet file, or why it cannot be read. */
export async function fieldsOfFile(
  file: string,
  folder: string,
): Promise<{ readonly fields: readonly ArrowField[] | undefined; readonly findings: readonly Finding[] }> {
  const { inspectSeed } = await import('@data-designer/seeds');
  const seed = {
    source: { seedType: 'local' as const, path: resolve(file) },
    samplingStrategy: 'ordered' as const,
    selectionStrategy: null,
  };
  const { columns: fields, findings } = await inspectSeed(seed, { folder });
  return { fields, findings };
}

/** Throws for an override that is not a Parquet file. */
export function checkOverride(file: string, at: { readonly workflow: string; readonly stage: string }): void {
  const table = findTable(file, process.cwd());
  if ('message' in table) throw invalidWorkflow(at, `the override ${file} cannot be read: ${table.message}`);
  if (table.format !== 'parquet' || table.files.length > 1 || file.includes('*'))
    throw invalidWorkflow(at, `the override ${file} is not a Parquet file`);
}

function filesOf(path: string, folder: string): readonly string[] {
  const table = findTable(path, folder);
  return 'files' in table ? table.files : [];
}

/** Each prefix of a list of files. A file that a later run adds rows behind stays as it is. */
async function* beginningsOf(files: readonly string[]): AsyncGenerator<Beginning> {
  const hash = createHash('sha256');
  for (const [at, file] of files.entries()) {
    await hashFile(hash, file);
    const rows = async (): Promise<number> => {
      const counts = await Promise.all(files.slice(0, at + 1).map((one) => countRows(one)));
      return counts.reduce((sum, count) => sum + count, 0);
    };
    yield { content: hash.copy().digest('hex'), rows };
  }
}

/** The SHA-256 of files, one after another. */
export async function contentOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) await hashFile(hash, file);
  return hash.digest('hex');
}
