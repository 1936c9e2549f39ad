import { shellPattern } from '@data-designer/config';

/** Which files of a dataset a path stands for. */
export interface HubPattern {
  readonly text: string;
  /** The folder in which all of them are, from the top of the dataset; empty for the top itself. */
  readonly folder: string;
  /** Whether some may be in folders below. */
  readonly isDeep: boolean;
  /** Whether a file is one of them; its path is from the top of the dataset, with `/`. */
  readonly matches: (path: string) => boolean;
}

/** One step of a pattern: any number of folders, or one name that passes. */
type Step = 'any' | ((name: string) => boolean);

const WILD = /[*?[]/;

/**
 * Reads a file's path or a glob as DuckDB does: `* ? [..] [!..]` within a name, `**` for any number of folders, and a
 * backslash before a sign that stands for itself.
 */
export function hubPattern(text: string): HubPattern {
  const steps = escaped(text).split('/');
  const firstWild = steps.findIndex((step) => WILD.test(step));
  const fixed = firstWild === -1 ? steps.length - 1 : firstWild;
  const folder = steps.slice(0, fixed).join('/');
  const isDeep = steps.length - fixed > 1 || steps[fixed] === '**';
  const compiled = steps.map((step): Step => (step === '**' ? 'any' : shellPattern(step)));
  return { text, folder, isDeep, matches: (path) => matches(compiled, path.split('/')) };
}

/** A sign behind a backslash as a set of just that sign: sets are all that a shell's patterns have to quote with. */
function escaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, sign: string) => (WILD.test(sign) ? `[${sign}]` : sign));
}

/** Goes on behind the last `**` where a step fails: earlier ones need not be tried again. */
function matches(steps: readonly Step[], names: readonly string[]): boolean {
  let step = 0;
  let at = 0;
  let many: { readonly step: number; at: number } | undefined;
  while (at < names.length) {
    const current = steps[step];
    if (current === 'any') many = { step: ++step, at };
    else if (current?.(names[at] as string)) [step, at] = [step + 1, at + 1];
    else if (many) [step, at] = [many.step, ++many.at];
    else return false;
  }
  return steps.slice(step).every((left) => left === 'any');
}
