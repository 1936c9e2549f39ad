import { Command } from 'commander';
import { type DisplayFlags, withDisplayFlags } from './flags/display-flags.ts';
import { exitCodeOf } from './exit-codes.ts';
import { atLeast, type CommonFlags, withCommonFlags } from './flags/common-flags.ts';
import { interruptSignals } from './signals.ts';
import { printEnd, printFailedCells, printFlaws, printJson, printLost } from './display/print-results.ts';
import { refuseUnwritable } from './check-writable.ts';
import { type RecordFlags, shownAsTold, withRecordFlags, withTheme } from './flags/record-flags.ts';

interface PreviewFlags extends CommonFlags, DisplayFlags, RecordFlags {
  readonly numRecords: number;
  readonly saveResults: boolean;
  readonly artifactPath: string;
  readonly theme?: 'dark' | 'light';
}

/** The events of a preview that are told. */
const SHOWN: ReadonlySet<string> = new Set(['tool-log', 'column-log', 'function-wait', 'progress']);

/** `data-designer preview SRC`: makes a few rows in memory and prints them. */
export function previewCommand(): Command {
  const command = new Command('preview').description(
    'Make a few records and show them; nothing is written unless asked.',
  );
  return withTheme(withRecordFlags(withDisplayFlags(withCommonFlags(command))))
    .option('--save-results', 'write them, with statistics and pages, to a folder of their own', false)
    .option('-o, --artifact-path <folder>', 'where that folder goes', './artifacts')
    .option('-n, --num-records <n>', 'rows to make', atLeast(1), 10)
    .action(preview);
}

async function preview(source: string, flags: PreviewFlags): Promise<void> {
  const { DataDesigner } = await import('../data-designer.ts');
  const { readCommon, readConfig } = await import('./flags/read-common-flags.ts');
  const { showRun } = await import('./display/show-run.ts');
  if (flags.saveResults) await refuseUnwritable(flags.artifactPath, { isMade: true });
  const declaration = await readConfig(source, flags);
  const common = readCommon(flags);
  const designer = new DataDesigner(common);
  using interrupts = interruptSignals();
  const { numRecords } = flags;
  const results = await showRun(flags, common.runConfig, (take) =>
    designer.preview(declaration, {
      numRecords,
      signal: interrupts.drain,
      // A few records are soon made: of the outside only what tools say for their author is worth a line.
      onEvent: (event) => SHOWN.has(event.type) && take(event),
    }),
  );
  const { count, requested, lost, failedCells, flaws, usage, cost, tools, ended } = results;
  printEnd(ended);
  process.exitCode = exitCodeOf(results);
  if (flags.json) {
    const records = await Array.fromAsync(results.records());
    const made = await results.processorArtifacts();
    const processorArtifacts = Object.keys(made).length > 0 ? { processorArtifacts: made } : {};
    printJson({ records, ...processorArtifacts, requested, ended, lost, failedCells, flaws, usage, cost, tools });
    return;
  }
  if (flags.saveResults) {
    const { savePreview } = await import('./save-preview.ts');
    const theme = flags.theme === undefined ? {} : { theme: flags.theme };
    const folder = await savePreview(results, flags.artifactPath, { ...shownAsTold(flags), ...theme });
    process.stdout.write(`Saved in ${folder}\n`);
  } else if (count > 0) {
    const { showRecords } = await import('./display/show-records.ts');
    await showRecords(results.recordDisplay(), flags, { first: 0, count });
  }
  printLost(lost);
  printFailedCells(failedCells);
  printFlaws(flaws);
  process.stdout.write(`${count} of ${requested} records\n`);
}
