import { Command } from 'commander';
import { exitCodeOf } from './exit-codes.ts';
import {
  atLeast,
  type CommonFlags,
  type DisplayFlags,
  withCommonFlags,
  withDisplayFlags,
} from './flags/common-flags.ts';
import { drainOnSignals } from './signals.ts';
import { outcomeOf, printEarlyEnd, printJson, printLosses } from './display/print-results.ts';
import { checkWritable } from './check-writable.ts';
import { type RecordFlags, displayOptionsOf, withRecordFlags, withTheme } from './flags/record-flags.ts';

interface PreviewFlags extends CommonFlags, DisplayFlags, RecordFlags {
  readonly numRecords: number;
  readonly saveResults: boolean;
  readonly artifactPath: string;
  readonly theme?: 'dark' | 'light';
}

/** The events of a preview that are shown: a preview is short, so only messages of tools and functions matter. */
const SHOWN: ReadonlySet<string> = new Set(['tool-log', 'column-log', 'function-wait', 'progress']);

/** `data-designer preview SRC`: makes a few records in memory and shows them. */
export function previewCommand(): Command {
  const command = new Command('preview').description('Make a few records in memory and show them.');
  return withTheme(withRecordFlags(withDisplayFlags(withCommonFlags(command))))
    .option('--save-results', 'save the records with statistics and HTML pages in a new folder', false)
    .option('-o, --artifact-path <folder>', 'parent folder of --save-results', './artifacts')
    .option('-n, --num-records <n>', 'records to make', atLeast(1), 10)
    .action(preview);
}

async function preview(source: string, flags: PreviewFlags): Promise<void> {
  const { DataDesigner } = await import('../data-designer.ts');
  const { readCommon, readConfig } = await import('./flags/read-common-flags.ts');
  const { showRun } = await import('./progress/show-run.ts');
  if (flags.saveResults) await checkWritable(flags.artifactPath, { isMade: true });
  const declaration = await readConfig(source, flags);
  const common = readCommon(flags);
  const designer = new DataDesigner(common);
  using interrupts = drainOnSignals();
  const { numRecords } = flags;
  const results = await showRun(flags, common.runConfig, (take) =>
    designer.preview(declaration, {
      numRecords,
      signal: interrupts.drain,
      onEvent: (event) => SHOWN.has(event.type) && take(event),
    }),
  );
  const { count, requested } = results;
  printEarlyEnd(results.ended);
  process.exitCode = exitCodeOf(results);
  if (flags.json) {
    const records = await Array.fromAsync(results.records());
    const made = await results.processorArtifacts();
    const processorArtifacts = Object.keys(made).length > 0 ? { processorArtifacts: made } : {};
    printJson({ records, ...processorArtifacts, ...outcomeOf(results) });
    return;
  }
  if (flags.saveResults) {
    const { savePreview } = await import('./save-preview.ts');
    const theme = flags.theme === undefined ? {} : { theme: flags.theme };
    const folder = await savePreview(results, flags.artifactPath, { ...displayOptionsOf(flags), ...theme });
    process.stdout.write(`Saved in ${folder}\n`);
  } else if (count > 0) {
    const { showRecords } = await import('./display/show-records.ts');
    await showRecords(results.recordDisplay(), flags, { first: 0, count });
  }
  printLosses(results);
  process.stdout.write(`${count} of ${requested} records\n`);
}
