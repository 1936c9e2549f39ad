import { matchesSteps, shellPattern, type Step } from '@data-designer/config';

/** A pattern for files of a dataset. */
export interface HubPattern {
  readonly text: string;
  /** The folder that holds all matches; empty for the whole dataset. */
  readonly folder: string;
  /** Whether subfolders may hold matches. */
  readonly isDeep: boolean;
  /** Whether a file matches, by its path in the dataset, with `/`. */
  readonly matches: (path: string) => boolean;
}

const WILD = /[*?[]/;

/** Parses a path or glob as DuckDB does: `* ? [..] [!..]` within a name, `**` for any number of folders, `\\` to escape. */
export function hubPattern(text: string): HubPattern {
  const steps = escaped(text).split('/');
  const firstWild = steps.findIndex((step) => WILD.test(step));
  const fixed = firstWild === -1 ? steps.length - 1 : firstWild;
  const folder = steps.slice(0, fixed).join('/');
  const isDeep = steps.length - fixed > 1 || steps[fixed] === '**';
  const compiled = steps.map((step): Step => (step === '**' ? 'any' : shellPattern(step)));
  return { text, folder, isDeep, matches: (path) => matchesSteps(compiled, path.split('/')) };
}

/** Turns an escaped character into a set of one character, the only quoting of shell patterns. */
function escaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, sign: string) => (WILD.test(sign) ? `[${sign}]` : sign));
}
