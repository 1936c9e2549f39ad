import { dirname } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { DatasetCreationResults } from '@data-designer/results';
import { exitCodeOf, exitCodesInHelp } from './exit-codes.ts';
import { examples, withCommonFlags, withDisplayFlags } from './flags/common-flags.ts';
import type { CommonSettings } from './flags/read-common-flags.ts';
import { atLeast, parseDuration, parseHtmlPath } from './flags/parse-flags.ts';
import { clusterOf, type CreateFlags } from './flags/create-flags.ts';
import { optionsIn, withOptions, withSettings } from './flags/option-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';
import { reportStopped } from './report-failure.ts';
import { drainOnSignals } from './signals.ts';
import { SavedRows, wordsToContinue } from './display/interrupt-hint.ts';
import { printEarlyEnd } from './display/print-results.ts';
import { checkWritable } from './check-writable.ts';

/** `data-designer create SRC`: makes a dataset from a config. */
export function createCommand(): Command {
  const command = new Command('create').description(
    'Make a dataset from a config, or the datasets of a workflow, and save them in a folder.',
  );
  withOptions(command, 'create').option(
    '-o, --artifact-path <folder>',
    'Parent folder of the dataset folder',
    './artifacts',
  );
  withSettings(command)
    .option('--strict', 'Exit with code 3 if rows are missing, cells failed, or answers have flaws', false)
    .option('--view', 'Show the run in the browser; the command ends when you close the viewer with Ctrl-C', false)
    .option('--show <n>', 'Number of records to print at the end', atLeast(0), 0)
    .option('--report [file]', 'Print statistics at the end, or write them to this .html file', parseHtmlPath);
  refuseUnused<CreateFlags>(command, [
    {
      flags: ['work', 'lease'],
      unless: ({ cluster }) =>
        cluster === undefined ? 'without --cluster: add the address of the Redis of the machines' : undefined,
    },
    {
      flags: ['reRequest', 'retryLost', 'rerunFrom'],
      unless: ({ resume }) => (resume === 'never' ? 'without --resume: add always, or if_possible' : undefined),
    },
    {
      flags: ['show'],
      unless: ({ json }) => (json ? 'with --json: leave out one of them, or read the records with show' : undefined),
    },
  ]);
  return withCommonFlags(withClusterFlags(withOptions(withDisplayFlags(command), 'run', 'Workflows:')))
    .addHelpText(
      'after',
      examples(
        'create facts.yaml -n 1000 -d facts',
        'create facts.yaml -n 1000 -d facts --resume always',
        'create facts.yaml -n 1000 -d facts --max-cost 5 --report report.html',
        'create flow.yaml -n 200 --resume if_possible --rerun-from questions',
      ),
    )
    .addHelpText('after', `\n${exitCodesInHelp()}`)
    .action(create);
}

/** The options of a dataset that several machines make. */
function withClusterFlags(command: Command): Command {
  return command
    .optionsGroup('Clusters:')
    .option('--cluster <address>', 'Share the work with machines that join, through this Redis: redis://host:6379')
    .option('--no-work', 'With --cluster: only coordinate the other machines')
    .option(
      '--lease <time>',
      'With --cluster: a machine that is silent for this time loses its row groups to other machines (default: 30s)',
      parseLease,
    );
}

/** Parses a lease, which other machines must be able to renew in time. */
function parseLease(text: string): number {
  const seconds = parseDuration(text);
  if (seconds >= 1) return seconds;
  throw new InvalidArgumentError('It must be at least 1s.');
}

async function create(source: string, flags: CreateFlags, command: Command): Promise<void> {
  const page = typeof flags.report === 'string' ? flags.report : undefined;
  if (page !== undefined) await checkWritable(dirname(page));
  const { endWarmThreads, readConfigWarm } = await import('./warm-start.ts');
  const declaration = await readConfigWarm(source, flags);
  const { isFlow, readCommon } = await import('./flags/read-common-flags.ts');
  if (isFlow(declaration)) {
    const { createFlow } = await import('./flow/create-flow.ts');
    return createFlow(declaration, flags, command);
  }
  refuseFlowFlags(flags, command);
  const { DataDesigner } = await import('@data-designer/designer/data-designer');
  const { showRun } = await import('./progress/show-run.ts');
  const common = readCommon(flags, declaration);
  const { runConfig } = common;
  const designer = new DataDesigner({ artifactPath: flags.artifactPath, ...common });
  const saved = new SavedRows();
  const continuation = (ended: DatasetCreationResults['ended']): string =>
    saved.continuation(wordsToContinue(ended), flags.datasetName);
  const sayHowToContinue = (): void => {
    process.stderr.write(saved.hint(process.argv.slice(2), flags.datasetName));
  };
  using interrupts = drainOnSignals({ onSecond: sayHowToContinue, leavesOnTerm: flags.cluster !== undefined });
  const viewer = flags.view ? new (await import('./display/run-viewer.ts')).RunViewer(flags.plugins) : undefined;
  let results: DatasetCreationResults;
  // A selection that has all its rows begins no run.
  let isWhole = true;
  try {
    results = await showRun({ ...flags, exits: interrupts.exits }, runConfig, (show) =>
      designer.create(declaration, {
        ...optionsIn(command, 'create'),
        drain: interrupts.drain,
        cluster: clusterOf(flags, interrupts.leave),
        onEvent: (event) => {
          saved.count(event);
          if (event.type === 'run-start') isWhole = event.groups === 0;
          if (event.type === 'run-start') viewer?.open(event.path);
          show(event);
        },
      }),
    );
  } catch (thrown) {
    await viewer?.closed({ isInterrupted: true });
    return reportStopped(thrown, flags, { sayHowToContinue, continuation });
  }
  await designer[Symbol.asyncDispose]();
  // Counting statistics takes as much memory as the threads, which otherwise serve the next command of the process.
  if (flags.report !== undefined) await endWarmThreads();
  await printResults(results, flags, { page, isWhole, continuation });
  if (!flags.json) await printHints(results, source, common);
  await viewer?.closed({ isInterrupted: interrupts.drain.aborted });
}

async function printHints(
  results: DatasetCreationResults,
  source: string,
  { providers }: CommonSettings,
): Promise<void> {
  const { realModelHint } = await import('./display/print-created.ts');
  if (results.simulated)
    process.stdout.write(
      realModelHint({
        source,
        args: process.argv.slice(2),
        providers: (providers.models ?? []).map(({ name }) => name),
      }),
    );
}

function refuseFlowFlags({ targets, rerunFrom, overrides }: CreateFlags, command: Command): void {
  if (targets === undefined && rerunFrom === undefined && overrides === undefined) return;
  command.error('error: --targets, --rerun-from and --override need a workflow: a file with stages.');
}

/** Writes the report and the export if requested, and prints the results. */
async function printResults(
  results: DatasetCreationResults,
  flags: CreateFlags,
  {
    page,
    isWhole,
    continuation,
  }: {
    readonly page: string | undefined;
    readonly isWhole: boolean;
    readonly continuation: (ended: DatasetCreationResults['ended']) => string;
  },
): Promise<void> {
  const analysis = flags.report === undefined ? undefined : await results.loadAnalysis();
  if (page !== undefined) await analysis?.toReport({ savePath: page });
  const { count, ended } = results;
  const isExhausted = ended?.code === 'select/exhausted';
  printEarlyEnd(ended, isExhausted ? '' : continuation(ended));
  process.exitCode = exitCodeOf(results, { strict: flags.strict, made: [results] });
  const { printCreated, printCreatedJson } = await import('./display/print-created.ts');
  if (flags.json) return printCreatedJson(results, { analysis, page });
  if (flags.show > 0 && count > 0) {
    const { showRecords } = await import('./display/show-records.ts');
    await showRecords(results.recordDisplay(), { nonInteractive: true }, { first: 0, count: flags.show });
  }
  await printCreated(results, { analysis, page, isWhole });
}
