import { basename } from 'node:path';
import type { ProgressSnapshot, RunEvent } from '@data-designer/engine';
import { formatCount, pluralize, shellWord } from '@data-designer/printing';

/** Counts the rows and answers that a run has saved, to say after an interrupt what is there and how to continue. */
export class SavedRows {
  #path: string | undefined;
  #saved = 0;
  #wanted = 0;
  #answers = 0;

  readonly count = (event: RunEvent): void => {
    if (event.type === 'run-start') {
      this.#path = event.path;
      this.#saved = event.rowsDone;
      this.#wanted = event.rows;
    } else if (event.type === 'row-group-end') this.#saved += event.rows;
    else if (event.type === 'progress') this.#answers = answersIn(event.snapshot);
  };

  /** What an interrupted `create` prints; `args` are the words of its command line. */
  hint(args: readonly string[], datasetName: string): string {
    if (this.#path === undefined) return 'Interrupted before the run began.\n';
    return `Interrupted. ${this.continuation(args, datasetName)}\n`;
  }

  /** What is saved of a run that ended early, and the command that continues it; empty text before the run began. */
  continuation(args: readonly string[], datasetName: string): string {
    if (this.#path === undefined) return '';
    const command = continueCommand(args, { path: this.#path, name: datasetName });
    if (this.#saved === 0 && this.#answers === 0) return `Nothing is saved yet; to try again: ${command}`;
    const rows = `${formatCount(this.#saved)} of ${pluralize(this.#wanted, 'row')}`;
    const answers = this.#answers === 0 ? '' : ` and ${pluralize(this.#answers, 'answer')}`;
    const verb = this.#saved === 1 && answers === '' ? 'is' : 'are';
    return `${rows}${answers} ${verb} saved; continue with: ${command}`;
  }
}

/** The answers of models so far, those of earlier runs included; each is on disk before its cell is made. */
function answersIn({ usage }: ProgressSnapshot): number {
  return Object.values(usage).reduce((sum, { requests, failedRequests }) => sum + requests - failedRequests, 0);
}

/** The words of a command line with a budget to fill in, since the given one is spent. */
export function withHigherBudget(args: readonly string[]): readonly string[] {
  return args.map((word, index) => {
    if (args[index - 1] === '--max-cost') return '<more>';
    return word.startsWith('--max-cost=') ? '--max-cost=<more>' : word;
  });
}

/** The words of this command line with which a run that ended early continues. */
export function wordsToContinue(ended: { readonly code: string } | null): readonly string[] {
  const args = process.argv.slice(2);
  return ended?.code === 'run/budget-spent' ? withHigherBudget(args) : args;
}

/** The command that continues an interrupted one. */
export function continueCommand(
  args: readonly string[],
  { path, name, flags = [] }: { readonly path: string; readonly name: string; readonly flags?: readonly string[] },
): string {
  const folder = basename(path);
  // The arguments of a code config stay last.
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const given = withoutFlags(args.slice(0, end), RESUME);
  const own = folder === name ? given : withoutFlags(given, DATASET_NAME);
  const dataset = folder === name ? [] : ['-d', folder];
  const more = flags.filter((flag) => !own.includes(flag));
  const words = [...own, ...dataset, '--resume', 'always', ...more, ...args.slice(end)];
  return commandOf(words);
}

/** The words of a command line as a command for a shell. */
export function commandOf(args: readonly string[]): string {
  return `npx data-designer ${args.map(shellWord).join(' ')}`;
}

/** The words of a command line without the flags that continue a dataset. */
export function freshArgs(args: readonly string[]): readonly string[] {
  return withoutFlags(args, RESUME).filter((word) => !CONTINUING.has(word));
}

/** Flags that only a continued dataset has a use for. */
const CONTINUING: ReadonlySet<string> = new Set(['--retry-lost', '--re-request']);

const RESUME = ['-r', '--resume'] as const;
const DATASET_NAME = ['-d', '--dataset-name'] as const;

/** The words of a command line without a flag and its values. */
function withoutFlags(
  args: readonly string[],
  [short, long]: readonly [short: string, long: string],
): readonly string[] {
  const isFlag = (word: string | undefined): boolean => word === short || word === long;
  return args.filter((word, index) => !isFlag(word) && !isFlag(args[index - 1]) && !word.startsWith(`${long}=`));
}
