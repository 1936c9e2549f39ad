import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { DataDesignerError } from '@data-designer/core';
import type { PreviewResults } from '@data-designer/results';
import { exitCodeOf } from './exit-codes.ts';
import {
  type CommonFlags,
  type DisplayFlags,
  examples,
  withCommonFlags,
  withDisplayFlags,
} from './flags/common-flags.ts';
import { drainOnSignals } from './signals.ts';
import { outcomeOf, printAttempts, printEarlyEnd, printJson, printLosses } from './display/print-results.ts';
import { checkWritable } from './check-writable.ts';
import { type RecordFlags, withRecordFlags, withTheme } from './flags/record-flags.ts';
import { optionsIn, withOptions } from './flags/option-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';

interface PreviewFlags extends CommonFlags, DisplayFlags, RecordFlags {
  readonly saveResults: boolean;
  readonly artifactPath: string;
  readonly theme?: 'dark' | 'light';
}

/** The events of a preview that are shown: a preview is short, so only messages of tools and functions matter. */
const SHOWN: ReadonlySet<string> = new Set(['tool-log', 'column-log', 'function-wait', 'log-fail', 'progress']);

/** `data-designer preview SRC`: makes a few records in memory and shows them. */
export function previewCommand(): Command {
  const command = new Command('preview').description('Make a few records in memory and show them.');
  withOptions(command, 'preview')
    .option('--save-results', 'Save records, statistics and HTML pages in a new folder', false)
    .option('-o, --artifact-path <folder>', 'Parent folder of --save-results', './artifacts');
  refuseUnused<PreviewFlags>(command, [
    {
      flags: ['artifactPath', 'theme'],
      unless: ({ saveResults }) => (saveResults ? undefined : 'without --save-results: add it'),
    },
    {
      flags: ['saveResults'],
      unless: ({ json }) => (json ? 'with --json, which prints the records: leave out one of them' : undefined),
    },
    {
      flags: ['displayWidth'],
      unless: ({ json, saveResults }) =>
        json || saveResults ? `with ${json ? '--json' : '--save-results'}: leave out one of them` : undefined,
    },
  ]);
  return withCommonFlags(withDisplayFlags(withTheme(withRecordFlags(command))))
    .addHelpText(
      'after',
      examples('preview facts.yaml', 'preview facts.yaml -n 3 --non-interactive', 'preview flow.yaml -n 2'),
    )
    .action(preview);
}

async function preview(source: string, flags: PreviewFlags, command: Command): Promise<void> {
  if (flags.saveResults) await checkWritable(flags.artifactPath, { isMade: true });
  const { readConfigWarm } = await import('./warm-start.ts');
  const declaration = await readConfigWarm(source, flags);
  const { isFlow, readCommon } = await import('./flags/read-common-flags.ts');
  if (isFlow(declaration)) {
    if (flags.saveResults)
      command.error(
        'error: --save-results is for a single config. For a workflow, make a few rows with data-designer create and -n.',
      );
    const { previewFlow } = await import('./flow/preview-flow.ts');
    return previewFlow(declaration, flags, optionsIn(command, 'preview'));
  }
  const { DataDesigner } = await import('@data-designer/designer/data-designer');
  const { showRun } = await import('./progress/show-run.ts');
  const common = readCommon(flags, declaration);
  const designer = new DataDesigner(common);
  using interrupts = drainOnSignals();
  const results = await showRun({ ...flags, exits: interrupts.exits }, common.runConfig, (take) =>
    designer.preview(declaration, {
      ...optionsIn(command, 'preview'),
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
    const folder = await savePreview(results, flags);
    process.stdout.write(`Saved in ${folder}\n`);
  } else if (count > 0) {
    const { showRecords } = await import('./display/show-records.ts');
    await showRecords(results.recordDisplay(), flags, { first: 0, count });
  }
  printLosses(results);
  printAttempts(results);
  process.stdout.write(`${count} of ${requested} ${requested === 1 ? 'record' : 'records'}\n`);
}

/** Saves a preview in a new folder: rows, statistics and a page of records. Returns the folder. */
async function savePreview(results: PreviewResults, { artifactPath, theme }: PreviewFlags): Promise<string> {
  const folder = await newFolder(artifactPath);
  const analysis = await results.analysis();
  await analysis.toReport({ savePath: join(folder, 'report.html') });
  await results.export(join(folder, 'dataset.parquet'));
  const display = results.recordDisplay();
  const indexes = Array.from({ length: display.count }, (_, index) => index);
  await display.savePage(indexes, join(folder, 'sample_records.html'), { theme });
  return folder;
}

/** Makes a folder named after the time, as the Python tool does; a second one in the same second gets a number. */
async function newFolder(artifactPath: string): Promise<string> {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_');
  for (let copy = 1; ; copy++) {
    const folder = join(artifactPath, `preview_results_${time}${copy === 1 ? '' : `_${copy}`}`);
    try {
      await mkdir(artifactPath, { recursive: true });
      await mkdir(folder, { mode: 0o700 });
      return folder;
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      if (code !== 'EEXIST')
        throw new DataDesignerError('dataset/unwritable', { path: folder, reason: message }, { cause: thrown });
    }
  }
}
