import { dirname } from 'node:path';
import { Command, Option } from 'commander';
import { DEFAULT_FORMAT, EXPORT_FORMATS, type ExportFormat } from '@data-designer/dataset/formats';
import type { ResumeMode } from '../data-designer-options.ts';
import type { DatasetCreationResults } from '../records/dataset-creation-results.ts';
import { type DisplayFlags, withDisplayFlags } from './flags/display-flags.ts';
import { sayDivert } from './display/describe-event.ts';
import { exitCodeOf } from './exit-codes.ts';
import { atLeast, type CommonFlags, htmlFile, oneOf, withCommonFlags } from './flags/common-flags.ts';
import { interruptSignals } from './signals.ts';
import { printEnd } from './display/print-results.ts';
import { refuseUnwritable } from './check-writable.ts';

interface CreateFlags extends CommonFlags, DisplayFlags {
  readonly numRecords: number;
  readonly datasetName: string;
  readonly artifactPath: string;
  readonly format: ExportFormat;
  readonly resume: ResumeMode;
  readonly rebuy: boolean;
  readonly compact: boolean;
  readonly show: number;
  /** A file, or true for the screen. */
  readonly report?: string | true;
  readonly strict: boolean;
}

/** `data-designer create SRC`: makes a dataset from a config file. */
export function createCommand(): Command {
  const command = withCommonFlags(new Command('create').description('Make a dataset from a config file.'));
  return withDisplayFlags(command)
    .option('-n, --num-records <n>', 'rows to make', atLeast(1), 10)
    .option('-d, --dataset-name <name>', 'name of its folder', 'dataset')
    .option('-o, --artifact-path <folder>', 'where that folder goes', './artifacts')
    .addOption(
      new Option(
        '-f, --format <format>',
        'of its data files; for jsonl and csv these are Parquet, and the rows are exported to <name>.<format> in its folder at the end',
      )
        .choices(EXPORT_FORMATS)
        .default(DEFAULT_FORMAT),
    )
    .addOption(
      new Option(
        '-r, --resume <when>',
        'never, always: go on with the dataset of this name, or if_possible: begin a new one where it cannot be continued',
      )
        .argParser(oneOf<ResumeMode>(['never', 'always', 'if_possible']))
        .default('never'),
    )
    .option(
      '--rebuy',
      'with --resume: pay again for answers that no longer fit what is asked, and for rows in damaged files',
      false,
    )
    .option('--no-compact', 'leave the files of the row groups as they are, however small')
    .option('--strict', 'exit with code 3 where rows are missing', false)
    .option('--show <n>', 'records to print at the end', atLeast(0), 0)
    .option('--report [file]', 'show statistics at the end, or write them to an .html file', htmlFile)
    .action(create);
}

async function create(source: string, flags: CreateFlags): Promise<void> {
  const { DataDesigner } = await import('../data-designer.ts');
  const { readCommon, readConfig } = await import('./flags/read-common-flags.ts');
  const { showRun } = await import('./display/show-run.ts');
  const page = typeof flags.report === 'string' ? flags.report : undefined;
  if (page !== undefined) await refuseUnwritable(dirname(page));
  const declaration = await readConfig(source, flags);
  const common = readCommon(flags);
  const runConfig = { ...common.runConfig, ...(flags.compact ? {} : { compact: false }) };
  const designer = new DataDesigner({ artifactPath: flags.artifactPath, ...common, runConfig });
  using interrupts = interruptSignals('where the dataset was begun, go on with --resume always');
  const options = {
    numRecords: flags.numRecords,
    datasetName: flags.datasetName,
    resume: flags.resume,
    rebuy: flags.rebuy,
    format: flags.format,
    drain: interrupts.drain,
  } as const;
  const results = await showRun(flags, runConfig, (onEvent) => designer.create(declaration, { ...options, onEvent }));
  await tell(results, flags, page);
  if (flags.json) return;
  const { sayHowToGoOn } = await import('./display/real-model-hint.ts');
  if (results.simulated) process.stdout.write(sayHowToGoOn(source));
  const { path, divertedFrom } = results;
  if (divertedFrom !== null) process.stdout.write(`${sayDivert({ path, wanted: divertedFrom })}\n`);
}

/** Makes what is wanted beside the dataset, and prints what was made. */
async function tell(results: DatasetCreationResults, flags: CreateFlags, page: string | undefined): Promise<void> {
  const analysis = flags.report === undefined ? undefined : await results.loadAnalysis();
  if (page !== undefined) await analysis?.toReport({ savePath: page });
  const { count, ended } = results;
  printEnd(ended, 'What was made stands; go on with --resume always.');
  process.exitCode = exitCodeOf(results, flags);
  const { printCreated, printCreatedJson } = await import('./display/print-created.ts');
  if (flags.json) return printCreatedJson(results, { analysis, page });
  if (flags.show > 0 && count > 0) {
    const { showRecords } = await import('./display/show-records.ts');
    await showRecords(results.recordDisplay(), { nonInteractive: true }, { first: 0, count: flags.show });
  }
  await printCreated(results, { analysis, page });
}
