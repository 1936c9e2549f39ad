import { Command } from 'commander';
import { atLeast, type CommonFlags, withCommonFlags } from './flags.ts';
import { interruptSignals } from './interrupt-signals.ts';
import { printEvent } from './print-event.ts';
import { printJson, printLost, printRecords } from './print-results.ts';

interface PreviewFlags extends CommonFlags {
  readonly numRecords: number;
}

/** `data-designer preview SRC`: makes a few rows in memory and prints them. */
export function previewCommand(): Command {
  return withCommonFlags(new Command('preview').description('Make a few records and print them; nothing is written.'))
    .option('-n, --num-records <n>', 'rows to make', atLeast(1), 10)
    .action(preview);
}

async function preview(source: string, flags: PreviewFlags): Promise<void> {
  const { DataDesigner } = await import('../data-designer.ts');
  const { readCommon, readConfig } = await import('./read-flags.ts');
  const declaration = await readConfig(source, flags);
  const designer = new DataDesigner(readCommon(flags));
  using interrupts = interruptSignals();
  const results = await designer.preview(declaration, {
    numRecords: flags.numRecords,
    signal: interrupts.drain,
    // A few records are soon made: only what tools say for their author is worth a line.
    onEvent: (event) => event.type === 'tool-log' && printEvent(event),
  });
  const { count, requested, lost, usage, cost, tools } = results;
  if (flags.json) {
    printJson({ records: await Array.fromAsync(results.records()), requested, lost, usage, cost, tools });
    return;
  }
  await printRecords(results.records(), Infinity);
  printLost(lost);
  process.stdout.write(`${count} of ${requested} records\n`);
}
