import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isFailure, type Plan } from '@data-designer/core';
import { packageVersion } from '@data-designer/declaration';
import type { ReviewedExport, ReviewExport } from '@data-designer/dataset';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportFormatOf,
  exportOf,
  isExportFormat,
} from '@data-designer/dataset/formats';
import { type DatasetCreationResults, exportClash, usesReviews } from '@data-designer/results';
import {
  COMPRESSIONS,
  type Compression,
  compressionOf,
  examplesOf,
  isTrainingFormat,
  TRAINING_FORMATS,
  type TrainingCounts,
  type TrainingFormatName,
} from '@data-designer/training/options';
import { printJson, printStaleReviews } from './display/print-results.ts';
import { examples } from './flags/common-flags.ts';
import { exitOnSignals } from './signals.ts';

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
  readonly provenance?: boolean;
  readonly license?: string;
  readonly shardSize?: number;
  readonly compression?: Compression;
}

interface ExportFlags extends ReviewExport, TrainingFlags {
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

/** `data-designer export FOLDER`: writes a dataset as one file, or as training data. */
export function exportCommand(): Command {
  const formats = new Option(
    '-f, --format <format>',
    'Output format (default: from the extension of the output file, else jsonl)',
  );
  return new Command('export')
    .description('Write a dataset as one file or as text, or as training data.')
    .argument('<folder>', 'Dataset folder')
    .option('-o, --output <file>', 'Output file, or a folder for training data (default: standard output)')
    .addOption(formats.choices([...EXPORT_FORMATS, ...TRAINING_FORMATS]))
    .option('--processor <name>', 'Export the output of this processor instead of the records')
    .option('--no-escape', 'csv: keep texts that a spreadsheet runs as formulas; else they begin with an apostrophe')
    .option('--json', 'Print the output files as one JSON object; without -o, the rows are JSON lines', false)
    .optionsGroup('Reviews of rows:')
    .addOption(
      new Option(
        '--reviews <form>',
        'Add the review of each row as columns, or write the reviews to a file next to the output',
      ).choices(['columns', 'file']),
    )
    .option('--apply-edits', 'Replace values by those of edits')
    .option('--drop-rejected', 'Leave out rejected rows')
    .option('--accepted-only', 'Leave out all rows that are neither accepted nor edited')
    .optionsGroup('With a format of training data:')
    .option('--column <name>', 'Export the conversations of this column only (default: all columns with a trace)')
    .option(
      '--map <part=column,...>',
      'Take the parts from columns, such as prompt=question,chosen=a,rejected=b',
      readPairs,
    )
    .option('--reasoning', "Include the model's reasoning (chat-jsonl and preference-jsonl leave it out otherwise)")
    .option('--no-reasoning', "Leave out the model's reasoning")
    .option('--corrections', 'Include answers that the model had to correct')
    .option('--lossy', 'Leave out what the format cannot express, and count it; else it is refused')
    .option('--split <name=share,...>', 'Write parts, such as train=0.9,test=0.1', readShares)
    .option('--split-by <column>', 'Rows with the same value of this column are in the same part')
    .option('--shuffle <seed>', 'Write the examples in an order drawn by this seed', readSeed)
    .option('--max-tokens <n>', 'Leave out examples with more tokens', readTokens)
    .option('--min-tokens <n>', 'Leave out examples with fewer tokens', readTokens)
    .option('--token-counts <name>', 'Add the number of tokens to each example under this name')
    .option('--tokenizer <name>', 'What counts tokens: o200k, or the path of a tokenizer.json (default: o200k)')
    .option('--provenance', 'Add provenance to each example: an identifier, models, config and version')
    .option('--license <name>', 'The licence that --provenance names')
    .option('--shard-size <size>', 'Begin another file after this size, such as 500MB', readSize)
    .addOption(
      new Option('--compression <kind>', 'Compress the files (default: by the extension, .gz or .zst)').choices(
        COMPRESSIONS,
      ),
    )
    .addHelpText(
      'after',
      examples(
        'export artifacts/facts -o facts.csv',
        'export artifacts/facts -f trl-sft -o sft/ --split train=0.9,test=0.1 --split-by topic',
        'export artifacts/facts --apply-edits --drop-rejected -o reviewed.parquet',
      ),
    )
    .action(exportDataset);
}

/** `a=x,b=y` as an object. */
function readPairs(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (at < 0 || name === '' || value === '') throw new InvalidArgumentError(`'${pair}' is not NAME=VALUE.`);
    return [name, value] as const;
  });
  const twice = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) < index);
  if (twice) throw new InvalidArgumentError(`'${twice[0]}' is there twice.`);
  return Object.fromEntries(pairs);
}

function readShares(text: string): Readonly<Record<string, number>> {
  const shares = Object.entries(readPairs(text)).map(([name, share]) => [name, Number(share)] as const);
  const bad = shares.find(([, share]) => Number.isNaN(share));
  if (bad) throw new InvalidArgumentError(`The share of '${bad[0]}' is not a number.`);
  return Object.fromEntries(shares);
}

function readSeed(text: string): number {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(seed))
    throw new InvalidArgumentError('A seed is a whole number, 0 or more.');
  return seed;
}

function readTokens(text: string): number {
  const tokens = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(tokens)) {
    throw new InvalidArgumentError('A number of tokens is a whole number, 1 or more.');
  }
  return tokens;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, KB: 1e3, MB: 1e6, GB: 1e9 };

function readSize(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) *([KMG]?B?)$/i.exec(text) ?? [];
  const factor = UNITS[unit.toUpperCase()] ?? UNITS[`${unit.toUpperCase()}B`] ?? 1;
  const size = Math.floor(Number(digits) * factor);
  if (digits === '' || size < 1)
    throw new InvalidArgumentError('A size is a number of bytes, or one with KB, MB or GB.');
  return size;
}

async function exportDataset(folder: string, flags: ExportFlags, command: Command): Promise<void> {
  const { output } = flags;
  const plain = output?.replace(/\.(?:gz|zst)$/, '');
  const format = flags.format ?? (plain === undefined ? 'jsonl' : exportFormatOf(plain));
  const asked: Asked = { ...flags, folder, format };
  const problem = usageProblem(asked);
  if (problem !== undefined) return command.error(`error: ${problem}`, { exitCode: 2 });
  if (isTrainingFormat(format)) await exportTraining({ ...asked, format });
  else await exportRecords({ ...asked, format }, command);
  await warnOfFolder(folder);
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
    return warnOfLeftOut(counts, format);
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
    printJson({ path: folder, output: path, format, [examplesOf(format)]: count, ...without, files });
  } else for (const { path } of files) process.stdout.write(`${path}\n`);
  printStaleReviews(stale);
  warnOfLeftOut(exported, format);
}

/** Warns on standard error that an export lacks examples or reasoning. */
function warnOfLeftOut(
  { examples: count, leftOut, withoutReasoning }: TrainingCounts,
  format: TrainingFormatName,
): void {
  const [left, noun] = [sum(leftOut), examplesOf(format)];
  if (left > 0) {
    const reasons = Object.entries(leftOut).map(([reason, times]) => `${times} with ${reason}`);
    process.stderr.write(
      `Warning: the export has ${count} of ${count + left} ${noun}; left out: ${reasons.join(', ')}.\n`,
    );
  }
  if (withoutReasoning === 0) return;
  process.stderr.write(`Warning: ${withoutReasoning} of ${count} ${noun} are written without their reasoning.\n`);
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Writes the rows to a file or to standard output. */
async function exportRecords(asked: Asked & { readonly format: ExportFormat }, command: Command): Promise<void> {
  const { output, format } = asked;
  const reviewed = await reviewedExport(asked);
  if (output !== undefined) await exportFile({ ...asked, output, reviewed });
  else {
    const lines = await linesOf(asked, reviewed);
    if (!lines) {
      return command.error(`error: ${format} cannot be written to standard output; add -o FILE`, { exitCode: 2 });
    }
    await print(lines);
  }
  printStaleReviews(reviewed?.stale ?? []);
}

/** Warns on standard error that an export lacks the rows that are not made yet, and of damaged files that it did not read. */
async function warnOfFolder(folder: string): Promise<void> {
  const { loadDataset } = await import('@data-designer/results/load-dataset');
  const { warnOfDamages } = await import('./display/warn-of-damages.ts');
  try {
    warnOfDamages((await loadDataset(folder)).damages);
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
function usageProblem(asked: Asked): string | undefined {
  const { format, output } = asked;
  const clash = exportClash(asked);
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
  const { ReviewedExport } = await import('@data-designer/dataset');
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
  if (reviewed) await reviewed.write(output, { format, escape });
  else
    await (await loaded(folder)).export(output, { format, escape, ...(processor === undefined ? {} : { processor }) });
  if (json) printJson({ path: folder, output, format });
  else process.stdout.write(`${output}\n`);
}

/** The lines of a format that is text; undefined for others. */
async function linesOf(
  { folder, format, processor, escape }: Asked & { readonly format: ExportFormat },
  reviewed: ReviewedExport | undefined,
): Promise<AsyncIterable<string> | undefined> {
  const { readDataset, readProcessorRows } = await import('@data-designer/dataset');
  const part = exportOf(format);
  if (!part.isText) return undefined;
  const toLines = await part.loadLines();
  if (reviewed) return toLines(reviewed.records(), { escape });
  if (processor === undefined) return toLines(readDataset(folder), { escape });
  (await loaded(folder)).getPathToProcessorArtifacts(processor);
  return toLines(readProcessorRows(folder, processor), { escape });
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
async function print(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    if (process.stdout.write(line)) continue;
    await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}
