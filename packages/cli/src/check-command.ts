import { Command } from 'commander';
import { knownNames } from '@data-designer/core';
import type { FindingKind, Language } from '@data-designer/trajectory';
import type { CheckReport, TrajectoryReport } from '@data-designer/results';
import { printJson } from './display/print-results.ts';
import { examples } from './flags/common-flags.ts';
import { atLeast, collect, parseNumber } from './flags/parse-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';

interface CheckFlags {
  readonly against?: readonly string[];
  readonly trajectories: boolean;
  readonly column: readonly string[];
  readonly ngram: number;
  readonly share: number;
  readonly tools?: string;
  readonly language?: string;
  readonly identity: readonly string[];
  readonly ignore: readonly string[];
  readonly maxShare: number;
  readonly json: boolean;
}

/** `data-designer check FOLDER`: finds rows that contain items of benchmarks, and faults of conversations. */
export function checkCommand(): Command {
  const command = new Command('check')
    .description(
      'Find rows of a dataset that contain items of benchmarks, or whose conversations have faults (exit code 3 if there are too many).',
    )
    .argument('<folder>', 'Dataset folder')
    .option('--column <name>', 'Column to check; repeatable (default: all columns with text or messages)', collect, [])
    .option('--max-share <share>', 'Exit with code 3 if the share of rows with findings is higher', parseShare, 0)
    .option('--json', 'Print the report as one JSON object', false)
    .optionsGroup('Benchmarks:')
    .option('--against <files...>', 'Benchmark files: csv, json, jsonl or parquet, or <folder>/*.jsonl')
    .option('--ngram <n>', 'Number of consecutive words that must be equal', atLeast(1), 8)
    .option('--share <share>', "Share of an item's words that a refused row contains", parsePart, 0.5)
    .optionsGroup('Conversations:')
    .option('--trajectories', 'Check traces, conversations and other lists of messages', false)
    .option('--tools <column>', "Column with the tools of each row (default: the tools of the dataset's models)")
    .option('--language <code>', 'Language of user and assistant, such as en')
    .option('--identity <name>', 'Name that the assistant may use for itself; repeatable', collect, [])
    .option('--ignore <kinds...>', 'Kinds of faults that are not reported, such as no_answer', [])
    .addHelpText(
      'after',
      examples(
        'check artifacts/facts --against bench/gsm8k.jsonl',
        "check artifacts/facts --column question --against 'bench/*.parquet'",
        'check artifacts/facts --trajectories --language en',
      ),
    )
    .action(check);
  return refuseUnused<CheckFlags>(command, [
    { flags: ['ngram', 'share'], unless: ({ against }) => (against ? undefined : 'without --against: add files') },
    {
      flags: ['tools', 'language', 'identity', 'ignore'],
      unless: ({ trajectories }) => (trajectories ? undefined : 'without --trajectories: add the flag'),
    },
  ]);
}

const parseShare = parseNumber((value) => value >= 0 && value <= 1, 'a number from 0 to 1');
const parsePart = parseNumber((value) => value > 0 && value <= 1, 'a number above 0, and at most 1');

async function check(folder: string, flags: CheckFlags, command: Command): Promise<void> {
  const { against = [], trajectories, json } = flags;
  if (against.length === 0 && !trajectories) {
    return command.error('error: name benchmark files with --against, or check conversations with --trajectories', {
      exitCode: 2,
    });
  }
  const benchmarks = against.length > 0 ? await checkBenchmarks(folder, against, flags) : undefined;
  const conversations = trajectories ? await checkConversations(folder, flags, command) : undefined;
  if (conversations?.passed === false || benchmarks?.passed === false) process.exitCode = 3;
  if (json) printJson({ ...benchmarks, ...(conversations && { trajectories: conversations }) });
  else {
    const { printBenchmarks, printTrajectories } = await import('./display/print-check.ts');
    if (benchmarks) process.stdout.write(printBenchmarks(benchmarks, flags.maxShare));
    if (conversations) process.stdout.write(printTrajectories(conversations, flags.maxShare));
  }
}

async function checkBenchmarks(folder: string, against: readonly string[], flags: CheckFlags): Promise<CheckReport> {
  const { checkDataset } = await import('@data-designer/results/check-dataset');
  const { column, ngram, share, maxShare } = flags;
  return checkDataset(folder, { against, columns: column, ngram, share, maxShare });
}

async function checkConversations(folder: string, flags: CheckFlags, command: Command): Promise<TrajectoryReport> {
  const [{ checkTrajectories }, { FINDING_KINDS, LANGUAGE_CODES }] = await Promise.all([
    import('@data-designer/results/check-trajectories'),
    import('@data-designer/trajectory'),
  ]);
  const { column, tools, identity, maxShare } = flags;
  const oneOf = <Name extends string>(flag: string, name: string, known: readonly Name[]): Name =>
    known.find((one) => one === name) ??
    command.error(`error: ${flag} does not know '${name}'. ${knownNames(name, known)}`, { exitCode: 2 });
  const language =
    flags.language === undefined ? undefined : oneOf<Language>('--language', flags.language, LANGUAGE_CODES);
  const ignore = flags.ignore.map((kind) => oneOf<FindingKind>('--ignore', kind, FINDING_KINDS));
  return checkTrajectories(folder, { columns: column, toolsColumn: tools, language, identity, ignore, maxShare });
}
