import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import { isFailure, type Plan } from '@data-designer/core';
import { packageVersion } from '@data-designer/declaration';
import type { ReviewedExport, ReviewExport } from '@data-designer/dataset/reviews';
import { type ExportFormat, exportFormatOf, exportOf, isExportFormat } from '@data-designer/dataset/formats';
import { type DatasetCreationResults, exportClash, usesReviews } from '@data-designer/results';
import {
  type Compression,
  compressionOf,
  isTrainingFormat,
  type TrainingCounts,
  type TrainingFormatName,
} from '@data-designer/training/options';
import { printJson, printStaleReviews, printUndecided } from '../display/print-results.ts';
import { describeEscaped } from '../display/describe-escaped.ts';
import { describeParts, unevenParts } from './describe-parts.ts';
import { exitOnSignals } from '../signals.ts';

/** The flags of training data. */
interface TrainingFlags {
  readonly column?: string;
  readonly map?: Readonly<Record<string, string>>;
  readonly reasoning?: boolean;
  readonly corrections?: boolean;
  readonly lossy?: boolean;
  readonly split?: Readonly<Record<string, number>>;
  readonly splitBy?: string;
  readonly shuffle?: number;
  readonly maxTokens?: number;
  readonly minTokens?: number;
  readonly tokenCounts?: string;
  readonly tokenizer?: string;
  readonly add?: Readonly<Record<string, string>>;
  readonly provenance?: boolean;
  readonly license?: string;
  readonly shardSize?: number;
  readonly compression?: Compression;
}

export interface ExportFlags extends ReviewExport, TrainingFlags {
  readonly output?: string;
  readonly format?: ExportFormat | TrainingFormatName;
  readonly processor?: string;
  readonly escape: boolean;
  readonly json: boolean;
}

/** An export as the flags ask for it. */
interface Asked extends ExportFlags {
  readonly folder: string;
  readonly format: ExportFormat | TrainingFormatName;
}

/** Writes a dataset as the flags of `data-designer export` ask. */
export async function exportDataset(folder: string, flags: ExportFlags, command: Command): Promise<void> {
  const { output } = flags;
  const plain = output?.replace(/\.(?:gz|zst)$/, '');
  const format = flags.format ?? (plain === undefined ? 'jsonl' : exportFormatOf(plain));
  const asked: Asked = { ...flags, folder, format };
  const problem = await usageProblem(asked);
  if (problem !== undefined) return command.error(`error: ${problem}`, { exitCode: 2 });
  if (await hasLongRows(folder)) setFlagsFromString('--semi-space-growth-factor=1');
  if (isTrainingFormat(format)) await exportTraining({ ...asked, format });
  else await exportRecords({ ...asked, format }, command);
  await warnOfFolder(folder);
}

/** Rows of so many bytes make V8 keep a large young generation: twice the memory of an export, for a tenth less CPU. */
const LONG_ROW = 20_000;

/** Whether the rows of a dataset are long, by the first of its files. */
async function hasLongRows(folder: string): Promise<boolean> {
  const { batchFiles, datasetPaths } = await import('@data-designer/dataset');
  const { rowBytesByColumn } = await import('@data-designer/dataset/parquet');
  const [first] = await batchFiles(datasetPaths(folder)).catch(() => []);
  if (!first?.path.endsWith('.parquet')) return false;
  // The export itself names a file that is damaged.
  const bytes = await rowBytesByColumn([first.path]).catch(() => new Map<string, number>());
  return sum([...bytes.values()]) >= LONG_ROW;
}

/** Writes training data to files or to standard output. */
async function exportTraining(asked: Asked & { readonly format: TrainingFormatName }): Promise<void> {
  const { folder, format, output, shardSize, json } = asked;
  const { emptyCounts, readSource, TrainingExport } = await import('@data-designer/training');
  const source = await readSource(folder, { plan: await planOfPython(folder), version: packageVersion() });
  const training = await TrainingExport.open(source, format, { ...asked, use: asked });
  if (output === undefined) {
    const counts = emptyCounts();
    await print(training.print(counts));
    return warnOfLeftOut(counts, training.noun);
  }
  const { discardUnfinished } = await import('@data-designer/dataset');
  using _ = exitOnSignals(discardUnfinished);
  const compression = asked.compression ?? compressionOf(output);
  const exported = await training.write(output, { shardSize, compression });
  const { files, examples: count, leftOut, withoutReasoning, stale } = exported;
  if (json) {
    const [file] = files;
    const path = files.length === 1 && file ? file.path : output;
    const without = { left_out: sum(leftOut), left_out_because: leftOut, without_reasoning: withoutReasoning };
    const split = asked.split ? { prompts: exported.prompts, shared_prompts: exported.sharedPrompts } : {};
    printJson({ path: folder, output: path, format, [training.noun]: count, ...without, ...split, files });
  } else for (const { path } of files) process.stdout.write(`${path}\n`);
  printStaleReviews(stale);
  warnOfLeftOut(exported, training.noun);
  if (!asked.split) return;
  const parts = { ...exported, split: asked.split, splitBy: asked.splitBy, noun: training.noun };
  if (!json) process.stderr.write(`${describeParts(parts)}\n`);
  for (const text of unevenParts(parts)) process.stderr.write(`Warning: ${text}\n`);
}

/** Warns on standard error that an export lacks examples or reasoning. */
function warnOfLeftOut({ examples: count, leftOut, withoutReasoning }: TrainingCounts, noun: string): void {
  const left = sum(leftOut);
  if (left > 0) {
    const reasons = Object.entries(leftOut).map(([reason, times]) => `${times} with ${reason}`);
    process.stderr.write(
      `Warning: the export has ${count} of ${count + left} ${noun}; left out: ${reasons.join(', ')}.\n`,
    );
  }
  if (withoutReasoning === 0) return;
  process.stderr.write(`Warning: ${withoutReasoning} of ${count} ${noun} are written without their reasoning.\n`);
}

function sum(counts: Readonly<Record<string, number>> | readonly number[]): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Writes the rows to a file or to standard output. */
async function exportRecords(asked: Asked & { readonly format: ExportFormat }, command: Command): Promise<void> {
  const { output, format } = asked;
  const reviewed = await reviewedExport(asked);
  if (output !== undefined) await exportFile({ ...asked, output, reviewed });
  else {
    let escapedTexts = 0;
    const lines = await linesOf({ ...asked, onEscape: () => void escapedTexts++ }, reviewed);
    if (!lines) {
      return command.error(`error: ${format} cannot be written to standard output; add -o FILE`, { exitCode: 2 });
    }
    await print(lines);
    process.stderr.write(describeEscaped(escapedTexts));
  }
  printStaleReviews(reviewed?.stale ?? []);
  printUndecided(reviewed?.undecided ?? []);
}

/** Warns on standard error that an export lacks the rows that are not made yet, and of damaged files that it did not read. */
async function warnOfFolder(folder: string): Promise<void> {
  const { loadDataset } = await import('@data-designer/results/load-dataset');
  const { tellOfUnverified, warnOfDamages } = await import('../display/warn-of-damages.ts');
  try {
    const results = await loadDataset(folder);
    warnOfDamages(results.damages);
    tellOfUnverified(results);
  } catch (thrown) {
    if (isFailure(thrown, 'dataset/damaged')) return warnOfDamages([thrown.message]);
    if (!isFailure(thrown, 'dataset/unfinished')) return;
    const { made, wanted, what = 'row groups' } = thrown.data;
    process.stderr.write(
      `Warning: the export lacks rows, because the dataset is unfinished: it has ${made} of ${wanted} ${what}. Continue it with --resume always, and export it again.\n`,
    );
  }
}

/** A combination of flags that has no meaning. */
async function usageProblem(asked: Asked): Promise<string | undefined> {
  const { format, output } = asked;
  const clash = await exportClash(asked);
  if (clash) return `${flagOf(clash[0])} ${clash[1]}`;
  const part = isExportFormat(format) ? exportOf(format) : undefined;
  if (!asked.escape && !(part?.isText && part.canEscape)) return `--no-escape needs -f csv; the format is ${format}`;
  if (output === undefined) {
    const inFiles = (['split', 'shuffle', 'shardSize', 'compression'] as const).find(
      (name) => asked[name] !== undefined,
    );
    if (inFiles !== undefined) return `${flagOf(inFiles)} needs -o FILE`;
    if (asked.json && part && format !== 'jsonl') return `--json prints no ${format}; add -o FILE`;
    return asked.reviews === 'file' ? '--reviews file needs -o FILE' : undefined;
  }
  const ending = extname(output).slice(1).toLowerCase();
  if (part && isExportFormat(ending) && ending !== format)
    return `-o ${output} ends with .${ending}, but the format is ${format}: correct one of them`;
  return part && compressionOf(output) !== undefined
    ? `-o ${output} names a compressed file, which formats of training data can write; the format is ${format}`
    : undefined;
}

function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The rows with their reviews; undefined for an export that does not read reviews. */
async function reviewedExport(asked: Asked): Promise<ReviewedExport | undefined> {
  if (!usesReviews(asked)) return undefined;
  const { ReviewedExport } = await import('@data-designer/dataset/reviews');
  const { loadPlan } = await import('@data-designer/results/load-dataset');
  return new ReviewedExport(asked.folder, (await loadPlan(asked.folder)).fields, asked);
}

/** Rows that go to a file. */
interface FileExport extends Asked {
  readonly format: ExportFormat;
  readonly output: string;
  readonly reviewed: ReviewedExport | undefined;
}

/** Writes a file; a signal removes the unfinished file. */
async function exportFile({ folder, output, format, processor, reviewed, escape, json }: FileExport): Promise<void> {
  const { discardUnfinished } = await import('@data-designer/dataset');
  using _ = exitOnSignals(discardUnfinished);
  let escapedTexts = 0;
  const written = { format, escape, onEscape: () => void escapedTexts++ };
  if (reviewed) await reviewed.write(output, written);
  else await (await loaded(folder)).export(output, { ...written, ...(processor === undefined ? {} : { processor }) });
  process.stderr.write(describeEscaped(escapedTexts));
  if (json) printJson({ path: folder, output, format });
  else process.stdout.write(`${output}\n`);
}

/** The lines of a format that is text; undefined for others. */
async function linesOf(
  {
    folder,
    format,
    processor,
    escape,
    onEscape,
  }: Asked & { readonly format: ExportFormat; readonly onEscape: () => void },
  reviewed: ReviewedExport | undefined,
): Promise<AsyncIterable<string> | undefined> {
  const { readDataset, readProcessorRows } = await import('@data-designer/dataset');
  const part = exportOf(format);
  if (!part.isText) return undefined;
  const toLines = await part.loadLines();
  if (reviewed) return toLines(reviewed.exported(), { escape, onEscape });
  if (processor === undefined) return toLines(readDataset(folder), { escape, onEscape });
  (await loaded(folder)).getPathToProcessorArtifacts(processor);
  return toLines(readProcessorRows(folder, processor), { escape, onEscape });
}

/** The plan of a dataset that NeMo Data Designer made; undefined for others, whose `run.json` has it. */
async function planOfPython(folder: string): Promise<Plan | undefined> {
  const { datasetPaths } = await import('@data-designer/dataset');
  const { run, metadata } = datasetPaths(folder);
  if (existsSync(run) || !existsSync(metadata)) return undefined;
  const { loadPlan } = await import('@data-designer/results/load-dataset');
  return loadPlan(folder);
}

async function loaded(folder: string): Promise<DatasetCreationResults> {
  const { loadDataset } = await import('@data-designer/results/load-dataset');
  return loadDataset(folder, { unfinished: true });
}

/** Prints at the reader's pace; if the reader closes the pipe, `guardOutput` exits. */
async function print(lines: AsyncIterable<string | Uint8Array>): Promise<void> {
  for await (const line of lines) {
    if (process.stdout.write(line)) continue;
    await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}
