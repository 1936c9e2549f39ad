import { basename } from 'node:path';
import type { RunEvent } from '@data-designer/engine';
import { formatCount, pluralize, shellWord } from '@data-designer/printing';

/** Counts the rows that a run has saved, to say after an interrupt what is there and how to continue. */
export class SavedRows {
  #path: string | undefined;
  #saved = 0;
  #wanted = 0;

  readonly count = (event: RunEvent): void => {
    if (event.type === 'run-start') {
      this.#path = event.path;
      this.#saved = event.rowsDone;
      this.#wanted = event.rows;
    } else if (event.type === 'row-group-end') this.#saved += event.rows;
  };

  /** What an interrupted `create` prints; `args` are the words of its command line. */
  hint(args: readonly string[], datasetName: string): string {
    if (this.#path === undefined) return 'Interrupted before the run began.\n';
    const command = continueCommand(args, { path: this.#path, name: datasetName });
    const saved = `${formatCount(this.#saved)} of ${pluralize(this.#wanted, 'row')} ${this.#saved === 1 ? 'is' : 'are'} saved`;
    return `Interrupted. ${saved}; continue with: ${command}\n`;
  }
}

/** The command that continues an interrupted one. */
export function continueCommand(
  args: readonly string[],
  { path, name, flags = [] }: { readonly path: string; readonly name: string; readonly flags?: readonly string[] },
): string {
  const folder = basename(path);
  // The arguments of a code config stay last.
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const own = withoutResume(args.slice(0, end));
  const dataset = folder === name ? [] : ['-d', folder];
  const more = flags.filter((flag) => !own.includes(flag));
  const words = [...own, ...dataset, '--resume', 'always', ...more, ...args.slice(end)];
  return `npx data-designer ${words.map(shellWord).join(' ')}`;
}

function withoutResume(args: readonly string[]): readonly string[] {
  return args.filter(
    (word, index) => !isResumeFlag(word) && !isResumeFlag(args[index - 1]) && !word.startsWith('--resume='),
  );
}

function isResumeFlag(word: string | undefined): boolean {
  return word === '-r' || word === '--resume';
}
