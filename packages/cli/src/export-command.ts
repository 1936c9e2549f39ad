import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { isFailure, type Plan } from '@data-designer/core';
import type { ExportedChats, ReviewedExport, ReviewExport } from '@data-designer/dataset';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportFormatOf,
  exportOf,
  isExportFormat,
} from '@data-designer/dataset/formats';
import {
  CONVERSATION_FORMATS,
  type ConversationFormat,
  type DatasetCreationResults,
  exportClash,
  usesReviews,
} from '@data-designer/results';
import { printJson, printStaleReviews } from './display/print-results.ts';
import { examples } from './flags/common-flags.ts';
import { exitOnSignals } from './signals.ts';

interface ExportFlags extends ReviewExport {
  readonly output?: string;
  readonly format?: ExportFormat | ConversationFormat;
  readonly column?: string;
  readonly processor?: string;
  readonly reasoning: boolean;
  readonly corrections: boolean;
  readonly escape: boolean;
  readonly json: boolean;
}

/** An export as the flags ask for it. */
interface Asked extends ExportFlags {
  readonly folder: string;
  readonly format: ExportFormat | ConversationFormat;
}

/** What an export reads besides the rows, and what it counts. */
interface ExportParts {
  readonly reviewed: ReviewedExport | undefined;
  readonly counts: ExportedChats;
}

/** `data-designer export FOLDER`: writes a dataset as one file, or its conversations for fine-tuning. */
export function exportCommand(): Command {
  const formats = new Option(
    '-f, --format <format>',
    "Output format; chat-jsonl writes the conversations, preference-jsonl the edited answers next to the model's (default: from the extension of the output file, else jsonl)",
  );
  return new Command('export')
    .description('Write a dataset as one file or as text, or its conversations for fine-tuning.')
    .argument('<folder>', 'Dataset folder')
    .option('-o, --output <file>', 'Output file (default: standard output)')
    .addOption(formats.choices([...EXPORT_FORMATS, ...CONVERSATION_FORMATS]))
    .option('--processor <name>', 'Export the output of this processor instead of the records')
    .option('--no-escape', 'csv: keep texts that a spreadsheet runs as formulas; else they begin with an apostrophe')
    .option('--json', 'Print the output file as one JSON object; without -o, the rows are JSON lines', false)
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
    .optionsGroup('With -f chat-jsonl and -f preference-jsonl:')
    .option('--column <name>', 'Export the conversations of this column only (default: all columns with a trace)')
    .option('--reasoning', "Include the model's reasoning", false)
    .option('--corrections', 'Include answers that the model had to correct', false)
    .addHelpText(
      'after',
      examples(
        'export artifacts/facts -o facts.csv',
        'export artifacts/facts -f chat-jsonl -o train.jsonl',
        'export artifacts/facts --apply-edits --drop-rejected -o reviewed.parquet',
      ),
    )
    .action(exportDataset);
}

async function exportDataset(folder: string, flags: ExportFlags, command: Command): Promise<void> {
  const { output } = flags;
  const format = flags.format ?? (output === undefined ? 'jsonl' : exportFormatOf(output));
  const asked: Asked = { ...flags, folder, format };
  const problem = usageProblem(asked);
  if (problem !== undefined) return command.error(`error: ${problem}`, { exitCode: 2 });
  const reviewed = await reviewedExport(asked);
  const counts = { chats: 0, leftOut: 0 };
  const lines = await linesOf(asked, { reviewed, counts });
  if (output !== undefined) await exportFile(lines, { ...asked, output, reviewed, counts });
  else if (lines) await print(lines);
  else return command.error(`error: ${format} cannot be written to standard output; add -o FILE`, { exitCode: 2 });
  printStaleReviews(reviewed?.stale ?? []);
  warnOfLeftOut(counts);
  await warnOfFolder(folder);
}

/** Warns on standard error that an export lacks conversations. */
function warnOfLeftOut({ chats, leftOut }: ExportedChats): void {
  if (leftOut === 0) return;
  process.stderr.write(
    `Warning: the export has ${chats} of ${chats + leftOut} conversations, because ${leftOut} ${leftOut === 1 ? 'does' : 'do'} not end with an answer. Their cells failed or are empty.\n`,
  );
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
  const isPreference = format === 'preference-jsonl';
  const chatsAlone = (['column', 'reasoning', 'corrections'] as const).filter((name) => asked[name]);
  if (chatsAlone.length > 0 && format !== 'chat-jsonl' && !isPreference) {
    return `${chatsAlone.map(flagOf).join(' and ')} needs -f chat-jsonl; the format is ${format}`;
  }
  const part = isExportFormat(format) ? exportOf(format) : undefined;
  if (!asked.escape && !(part?.isText && part.canEscape)) return `--no-escape needs -f csv; the format is ${format}`;
  if (asked.json && output === undefined && !format.endsWith('jsonl')) return `--json prints no ${format}; add -o FILE`;
  return asked.reviews === 'file' && output === undefined ? '--reviews file needs -o FILE' : undefined;
}

function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The rows with their reviews; undefined for an export that does not read reviews. */
async function reviewedExport(asked: Asked): Promise<ReviewedExport | undefined> {
  if (!usesReviews(asked) || asked.format === 'chat-jsonl') return undefined;
  const { ReviewedExport } = await import('@data-designer/dataset');
  const { loadPlan } = await import('@data-designer/results/load-dataset');
  return new ReviewedExport(asked.folder, (await loadPlan(asked.folder)).fields, asked);
}

/** Writes a file; a signal removes the unfinished file. */
async function exportFile(
  lines: AsyncIterable<string> | undefined,
  to: Asked & ExportParts & { readonly output: string },
): Promise<void> {
  const { discardUnfinished, writeText } = await import('@data-designer/dataset');
  using _ = exitOnSignals(discardUnfinished);
  const { folder, output, format, processor, reviewed, escape } = to;
  if (reviewed && isExportFormat(format)) await reviewed.write(output, { format, escape });
  else if (lines) await writeText(lines, output);
  else
    await (await loaded(folder)).export(output, { format, escape, ...(processor === undefined ? {} : { processor }) });
  if (to.json) printJson({ path: folder, output, format, ...leftOutOf(to) });
  else process.stdout.write(`${output}\n`);
}

/** The count of left-out conversations, for formats that have any. */
function leftOutOf({ format, counts }: Asked & ExportParts) {
  return format === 'chat-jsonl' ? { conversations: counts.chats, left_out: counts.leftOut } : {};
}

/** The lines of a format that is text; undefined for others. */
async function linesOf(
  { folder, format, processor, ...options }: Asked,
  { reviewed, counts }: ExportParts,
): Promise<AsyncIterable<string> | undefined> {
  const { chatLines, preferenceLines, readDataset, readProcessorRows } = await import('@data-designer/dataset');
  if (!isExportFormat(format)) {
    const plan = await planOfPython(folder);
    const { column, reasoning, corrections } = options;
    const chosen = { column, reasoning, corrections, plan };
    return format === 'preference-jsonl'
      ? preferenceLines(folder, chosen)
      : chatLines(folder, { ...chosen, use: options }, counts);
  }
  const part = exportOf(format);
  if (!part.isText) return undefined;
  const toLines = await part.loadLines();
  const { escape } = options;
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
