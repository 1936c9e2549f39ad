import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { Plan } from '@data-designer/core';
import { EXPORT_FORMATS, type ExportFormat, exportFormatOf, exportOf } from '@data-designer/dataset/formats';
import type { DatasetCreationResults } from '../records/dataset-creation-results.ts';
import { printJson } from './display/print-results.ts';
import { examples } from './flags/common-flags.ts';
import { exitOnSignals } from './signals.ts';

interface ExportFlags {
  readonly output?: string;
  readonly format?: ExportFormat | 'chat-jsonl';
  readonly column?: string;
  readonly processor?: string;
  readonly reasoning: boolean;
  readonly corrections: boolean;
  readonly json: boolean;
}

/** `data-designer export FOLDER`: writes a dataset as one file, or its conversations for fine-tuning. */
export function exportCommand(): Command {
  const formats = new Option(
    '-f, --format <format>',
    'Output format; chat-jsonl writes the conversations (default: from the extension of the output file, else jsonl)',
  );
  return new Command('export')
    .description('Write a dataset as one file or as text, or its conversations for fine-tuning.')
    .argument('<folder>', 'Dataset folder')
    .option('-o, --output <file>', 'Output file (default: standard output)')
    .addOption(formats.choices([...EXPORT_FORMATS, 'chat-jsonl']))
    .option('--processor <name>', 'Export the output of this processor instead of the records')
    .option('--json', 'Print the output file as one JSON object; without -o, the rows are JSON lines', false)
    .optionsGroup('With -f chat-jsonl:')
    .option('--column <name>', 'Export the conversations of this column only (default: all columns with a trace)')
    .option('--reasoning', "Include the model's reasoning", false)
    .option('--corrections', 'Include answers that the model had to correct', false)
    .addHelpText(
      'after',
      examples('export artifacts/facts -o facts.csv', 'export artifacts/facts -f chat-jsonl -o train.jsonl'),
    )
    .action(exportDataset);
}

async function exportDataset(folder: string, flags: ExportFlags, command: Command): Promise<void> {
  const { output, processor } = flags;
  const format = flags.format ?? (output === undefined ? 'jsonl' : exportFormatOf(output));
  if (processor !== undefined && format === 'chat-jsonl') {
    return command.error(
      'error: --processor and chat-jsonl cannot be combined: the output of a processor has no conversations',
      { exitCode: 2 },
    );
  }
  const chatsAlone = (['column', 'reasoning', 'corrections'] as const).filter((name) => flags[name]);
  if (chatsAlone.length > 0 && format !== 'chat-jsonl') {
    const names = chatsAlone.map((name) => `--${name}`).join(' and ');
    return command.error(`error: ${names} needs -f chat-jsonl; the format is ${format}`, {
      exitCode: 2,
    });
  }
  if (flags.json && output === undefined && !format.endsWith('jsonl')) {
    return command.error(`error: --json prints no ${format}; add -o FILE`, { exitCode: 2 });
  }
  const lines = await linesOf(folder, format, flags);
  if (output !== undefined) return exportFile(lines, { ...flags, folder, output, format });
  if (!lines)
    return command.error(`error: ${format} cannot be written to standard output; add -o FILE`, { exitCode: 2 });
  await print(lines);
}

/** Writes a file; a signal removes the unfinished file. */
async function exportFile(
  lines: AsyncIterable<string> | undefined,
  to: Pick<ExportFlags, 'processor' | 'json'> & {
    readonly format: ExportFormat | 'chat-jsonl';
    readonly folder: string;
    readonly output: string;
  },
): Promise<void> {
  const { discardUnfinished, writeText } = await import('@data-designer/dataset');
  using _ = exitOnSignals(discardUnfinished);
  if (lines) await writeText(lines, to.output);
  else
    await (
      await loaded(to.folder)
    ).export(to.output, {
      format: to.format,
      ...(to.processor === undefined ? {} : { processor: to.processor }),
    });
  if (to.json) printJson({ path: to.folder, output: to.output, format: to.format });
  else process.stdout.write(`${to.output}\n`);
}

/** The lines of a format that is text; undefined for others. */
async function linesOf(
  folder: string,
  format: ExportFormat | 'chat-jsonl',
  { column, processor, reasoning, corrections }: ExportFlags,
): Promise<AsyncIterable<string> | undefined> {
  const { chatLines, readDataset, readProcessorRows } = await import('@data-designer/dataset');
  if (format === 'chat-jsonl') {
    return chatLines(folder, { column, reasoning, corrections, plan: await planOfPython(folder) });
  }
  const part = exportOf(format);
  if (!part.isText) return undefined;
  const toLines = await part.loadLines();
  if (processor === undefined) return toLines(readDataset(folder));
  (await loaded(folder)).getPathToProcessorArtifacts(processor);
  return toLines(readProcessorRows(folder, processor));
}

/** The plan of a dataset that NeMo Data Designer made; undefined for others, whose `run.json` has it. */
async function planOfPython(folder: string): Promise<Plan | undefined> {
  const { datasetPaths } = await import('@data-designer/dataset');
  const { run, metadata } = datasetPaths(folder);
  if (existsSync(run) || !existsSync(metadata)) return undefined;
  const { loadPlan } = await import('../load-dataset.ts');
  return loadPlan(folder);
}

async function loaded(folder: string): Promise<DatasetCreationResults> {
  const { loadDataset } = await import('../load-dataset.ts');
  return loadDataset(folder, { unfinished: true });
}

/** Prints at the reader's pace; if the reader closes the pipe, `guardOutput` exits. */
async function print(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    if (process.stdout.write(line)) continue;
    await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}
