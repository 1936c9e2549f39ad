import { Command, Option } from 'commander';
import { EXPORT_FORMATS, type ExportFormat, exportFormatOf, exportOf } from '@data-designer/dataset/formats';
import type { DatasetCreationResults } from '../records/dataset-creation-results.ts';
import { endOnSignals } from './end-on-signals.ts';

interface ExportFlags {
  readonly output?: string;
  readonly format?: ExportFormat | 'chat-jsonl';
  readonly column?: string;
  readonly processor?: string;
  readonly reasoning: boolean;
  readonly corrections: boolean;
}

/** `data-designer export FOLDER`: a dataset as text, or its conversations ready for fine-tuning. */
export function exportCommand(): Command {
  const formats = new Option('-f, --format <format>', 'as the output name ends unless given, else jsonl');
  return new Command('export')
    .description(
      'Write the rows of a dataset as text or as one file, or its conversations ready for fine-tuning (chat-jsonl).',
    )
    .argument('<folder>', 'the folder of a dataset')
    .option('-o, --output <file>', 'where to write it; standard output unless given')
    .addOption(formats.choices([...EXPORT_FORMATS, 'chat-jsonl']))
    .option('--processor <name>', 'what this processor made of the rows; not chat-jsonl')
    .option('--column <name>', 'chat-jsonl: the conversations of this column only')
    .option('--reasoning', "chat-jsonl: keep the model's reasoning", false)
    .option('--corrections', 'chat-jsonl: keep answers that were corrected', false)
    .action(exportDataset);
}

async function exportDataset(folder: string, flags: ExportFlags, command: Command): Promise<void> {
  const { output, processor } = flags;
  const format = flags.format ?? (output === undefined ? 'jsonl' : exportFormatOf(output));
  if (processor !== undefined && format === 'chat-jsonl') {
    return command.error('error: what a processor made has no conversations to write as chat-jsonl', { exitCode: 2 });
  }
  const chatsAlone = (['column', 'reasoning', 'corrections'] as const).filter((name) => flags[name]);
  if (chatsAlone.length > 0 && format !== 'chat-jsonl') {
    const names = chatsAlone.map((name) => `--${name}`).join(' and ');
    return command.error(`error: ${names} is for chat-jsonl alone, and this is ${format}: give -f chat-jsonl`, {
      exitCode: 2,
    });
  }
  const lines = await linesOf(folder, format, flags);
  if (output !== undefined) return exportFile(lines, { ...flags, folder, output, format });
  if (!lines) return command.error(`error: ${format} is no text: say with -o where to write it`, { exitCode: 2 });
  await print(lines);
}

/** Writes a file, and leaves nothing of it where a signal ends that. */
async function exportFile(
  lines: AsyncIterable<string> | undefined,
  to: Pick<ExportFlags, 'format' | 'processor'> & { readonly folder: string; readonly output: string },
): Promise<void> {
  const { discardUnderWay, writeText } = await import('@data-designer/dataset');
  using _ = endOnSignals(discardUnderWay);
  if (lines) await writeText(lines, to.output);
  else await (await loaded(to.folder)).export(to.output, to);
  process.stdout.write(`${to.output}\n`);
}

/** The lines of a format that is text; undefined for others. */
async function linesOf(
  folder: string,
  format: ExportFormat | 'chat-jsonl',
  { column, processor, reasoning, corrections }: ExportFlags,
): Promise<AsyncIterable<string> | undefined> {
  const { chatLines, readDataset, readProcessorRows } = await import('@data-designer/dataset');
  if (format === 'chat-jsonl') return chatLines(folder, { column, reasoning, corrections });
  const part = exportOf(format);
  if (!part.isText) return undefined;
  const toLines = await part.loadLines();
  if (processor === undefined) return toLines(readDataset(folder));
  (await loaded(folder)).getPathToProcessorArtifacts(processor);
  return toLines(readProcessorRows(folder, processor));
}

async function loaded(folder: string): Promise<DatasetCreationResults> {
  const { loadDataset } = await import('../load-dataset.ts');
  return loadDataset(folder, { unfinished: true });
}

/** Prints at the pace of whoever reads; where they have had enough, `guardOutput` ends the command. */
async function print(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    if (process.stdout.write(line)) continue;
    await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}
