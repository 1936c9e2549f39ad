import { Command, Option } from 'commander';
import type { CellValue } from '@data-designer/core';
import { endOnSignals } from './end-on-signals.ts';

interface ExportFlags {
  readonly output?: string;
  readonly format?: 'jsonl' | 'csv' | 'parquet' | 'arrow' | 'chat-jsonl';
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
    .addOption(formats.choices(['jsonl', 'csv', 'parquet', 'arrow', 'chat-jsonl']))
    .option('--processor <name>', 'what this processor made of the rows; not chat-jsonl')
    .option('--column <name>', 'chat-jsonl: the conversations of this column only')
    .option('--reasoning', "chat-jsonl: keep the model's reasoning", false)
    .option('--corrections', 'chat-jsonl: keep answers that were corrected', false)
    .action(exportDataset);
}

async function exportDataset(folder: string, flags: ExportFlags, command: Command): Promise<void> {
  const { output, processor } = flags;
  const wanted =
    flags.format ?? (output === undefined ? 'jsonl' : (await import('@data-designer/dataset')).exportFormatOf(output));
  if (processor !== undefined && wanted === 'chat-jsonl') {
    return command.error('error: what a processor made has no conversations to write as chat-jsonl', { exitCode: 2 });
  }
  const chatsAlone = (['column', 'reasoning', 'corrections'] as const).filter((name) => flags[name]);
  if (chatsAlone.length > 0 && wanted !== 'chat-jsonl') {
    const names = chatsAlone.map((name) => `--${name}`).join(' and ');
    return command.error(`error: ${names} is for chat-jsonl alone, and this is ${wanted}: give -f chat-jsonl`, {
      exitCode: 2,
    });
  }
  if (output !== undefined) return exportFile(folder, output, flags);
  const format = flags.format ?? 'jsonl';
  if (format === 'parquet' || format === 'arrow') {
    return command.error(`error: ${format} is no text: say with -o where to write it`, { exitCode: 2 });
  }
  await print(await linesOf(folder, format, flags));
}

/** Writes a file, and leaves nothing of it where a signal ends that. */
async function exportFile(folder: string, output: string, flags: ExportFlags): Promise<void> {
  const { discardUnderWay, exportFormatOf, writeText } = await import('@data-designer/dataset');
  const format = flags.format ?? exportFormatOf(output);
  using _ = endOnSignals(discardUnderWay);
  if (format === 'parquet' || format === 'arrow') {
    const { loadDataset } = await import('../load-dataset.ts');
    const results = await loadDataset(folder, { unfinished: true });
    await results.export(output, { format, ...(flags.processor === undefined ? {} : { processor: flags.processor }) });
  } else {
    await writeText(await linesOf(folder, format, flags), output);
  }
  process.stdout.write(`${output}\n`);
}

async function linesOf(
  folder: string,
  format: 'jsonl' | 'csv' | 'chat-jsonl',
  { column, processor, reasoning, corrections }: ExportFlags,
): Promise<AsyncIterable<string>> {
  const { chatLines, readDataset, recordLines } = await import('@data-designer/dataset');
  if (processor !== undefined) {
    const { loadDataset } = await import('../load-dataset.ts');
    const results = await loadDataset(folder, { unfinished: true });
    return recordLines(
      results.loadProcessorDataset(processor) as AsyncIterable<Record<string, CellValue>>,
      format as 'jsonl',
    );
  }
  if (format === 'chat-jsonl') return chatLines(folder, { column, reasoning, corrections });
  return recordLines(readDataset(folder) as AsyncIterable<Record<string, CellValue>>, format);
}

/** Prints at the pace of whoever reads; where they have had enough, `guardOutput` ends the command. */
async function print(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    if (process.stdout.write(line)) continue;
    await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}
