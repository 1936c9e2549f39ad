import { type Failure, permanent } from './failure.ts';
import { knownNames, printPlace, printViolations, type TextPosition, type Violation } from '../violation.ts';

/** The place in a code config, or in a module that it imports. */
function printCodePlace({
  path,
  file = path,
  line,
  column,
}: {
  readonly path: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}): string {
  if (line === undefined) return file === path ? '' : ` (in ${file})`;
  return ` (${file}:${line}${column === undefined ? '' : `:${column}`})`;
}

/** A config or another text that cannot be read. */
export interface UnreadableConfig {
  readonly path: string;
  readonly reason: string;
  /** The place in the text where the parser stopped. */
  readonly position?: TextPosition;
  /** What to do; for a hint such as a missing quote. */
  readonly remedy?: string;
  /** The lines of the text around the place. */
  readonly frame?: string;
}

/** What to do about a text that cannot be read. */
export function unreadableRemedy({ remedy, position }: UnreadableConfig): string {
  return remedy ?? (position ? 'Correct the text there.' : 'Correct the file, or its path.');
}

/** What to do about a template that exceeds a limit. */
export const SHORTER_TEMPLATE = 'Shorten the template or its loops.';

/** Errors of configs, secrets and templates. */
export const configErrors = {
  'config/unreadable': permanent((d: UnreadableConfig) => {
    const place = d.position ? printPlace(d.path, d.position) : d.path;
    const told = `Cannot read ${place}: ${d.reason}. ${unreadableRemedy(d)}`;
    return d.frame ? `${told}\n${d.frame}` : told;
  }),
  'config/code-failed': permanent(
    (d: { path: string; reason: string; remedy: string; file?: string; line?: number; column?: number }) =>
      `Cannot load the config ${d.path}: ${d.reason}${printCodePlace(d)}. ${d.remedy}`,
  ),
  'config/invalid': permanent((d: { source: string; violations: readonly Violation[] }) => {
    const count = d.violations.length;
    return `${d.source} has ${count} ${count === 1 ? 'mistake' : 'mistakes'}:\n${printViolations(d.violations)}`;
  }),
  'secret/missing': permanent(
    (d: { name: string; owner: string; place?: string }) =>
      `${d.owner} needs the environment variable ${d.name}, which is not set${d.place ? ` (it is named in ${d.place})` : ''}. Set it and start again.`,
  ),
  'template/syntax': permanent(
    (d: { reason: string; line: number; column: number }) =>
      `Template syntax error at line ${d.line}, column ${d.column}: ${d.reason}.`,
  ),
  'template/refused': permanent(
    (d: { construct: string; remedy: string }) => `Templates may not use ${d.construct}. ${d.remedy}`,
  ),
  'template/unsupported-filter': permanent(
    (d: { filter: string; known: readonly string[]; instead?: string }) =>
      `The template filter '${d.filter}' is not supported. ${d.instead ?? knownNames(d.filter, d.known)}`,
  ),
  'template/empty-render': permanent(
    (d: { template: string; culprits: readonly string[] }) =>
      `The template '${d.template}' rendered as empty text; these values are empty or missing: ${d.culprits.join(', ') || 'unknown'}.`,
  ),
  'template/record': permanent(
    (d: { reason: string; isEveryRow?: boolean }) =>
      `A template cannot be rendered with ${d.isEveryRow ? 'any' : 'this'} row: ${d.reason}.`,
  ),
  'template/limit': permanent(
    (d: { what: string; limit: number; remedy?: string }) =>
      `A template exceeded its limit of ${d.limit} ${d.what}. ${d.remedy ?? SHORTER_TEMPLATE}`,
  ),
} as const satisfies Record<string, Failure<never>>;
