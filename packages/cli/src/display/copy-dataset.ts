import { formatCount, pluralize } from '@data-designer/printing';
import { privatePartsOf, writeViewerCopy } from '@data-designer/results';
import { isInterruption } from '../wizards/prompts.ts';
import { printJson } from './print-results.ts';

interface CopyFlags {
  readonly to: string;
  readonly compare?: string;
  readonly traces?: boolean;
  readonly reviews?: boolean;
  readonly plugins: readonly string[];
  readonly json: boolean;
}

/** Writes a static copy of a dataset. Asks on a terminal whether to include traces and reviews that the flags do not mention. */
export async function copyDataset(folder: string, flags: CopyFlags): Promise<void> {
  const { to, compare, plugins, json } = flags;
  const found = await privatePartsOf(folder, { compare, plugins });
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !json;
  const decide = async (what: string, flag: 'traces' | 'reviews', isThere: boolean): Promise<boolean> => {
    if (!isThere) return false;
    const given = flags[flag];
    if (given !== undefined) return given;
    if (isTerminal) return confirmed(`Include ${what}?`);
    process.stderr.write(`Left out: ${what}. --${flag} includes them.\n`);
    return false;
  };
  try {
    const traces = await decide('the conversations with the models, and their raw answers', 'traces', found.traces);
    const reviews = await decide(pluralize(found.reviews, 'review'), 'reviews', found.reviews > 0);
    const rows = await writeViewerCopy(folder, to, { traces, reviews, compare, plugins });
    if (json) printJson({ path: folder, copy: to, rows, traces, reviews });
    else process.stdout.write(`${formatCount(rows)} rows in ${to}: a web server can send this folder as it is.\n`);
  } catch (thrown) {
    if (!isInterruption(thrown)) throw thrown;
    process.stderr.write('Cancelled. Nothing was written.\n');
    process.exitCode = 130;
  }
}

async function confirmed(message: string): Promise<boolean> {
  const { confirm } = await import('@inquirer/prompts');
  return confirm({ message, default: false });
}
