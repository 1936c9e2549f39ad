import type { core, z } from 'zod';
import { DataDesignerError, itemsOf, knownNames, nearest, type Violation } from '@data-designer/core';
import { describeIssue, MISSING_MESSAGE } from './describe-issue.ts';
import { locate } from './locate.ts';
import { ONCE, readForm } from './read-form.ts';
import { isMapping, keysAt, snakeCase } from './spelling.ts';

type Path = readonly PropertyKey[];

/** The spelling of keys that a document lacks: snake_case as in files, or camelCase as in programs. */
export type Spelling = 'snake' | 'camel';

const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** Prints the path of a part of a document in the document's spelling, as `columns[1].model_alias`. */
export function printPath(path: Path, document: unknown, spelling: Spelling = 'snake'): string {
  let text = '';
  let here: unknown = document;
  for (const step of path) {
    if (typeof step === 'number') {
      text += `[${step}]`;
      here = itemsOf(here)[step];
    } else {
      const key = spelled(String(step), here, spelling);
      text += IDENTIFIER.test(key) ? `${text === '' ? '' : '.'}${key}` : `[${JSON.stringify(key)}]`;
      here = isMapping(here) && Object.hasOwn(here, key) ? here[key] : undefined;
    }
  }
  return text;
}

/** A key in the document's spelling; a missing one in the given spelling. */
function spelled(key: string, here: unknown, spelling: Spelling): string {
  return (isMapping(here) && Object.hasOwn(here, key)) || spelling === 'camel' ? key : snakeCase(key);
}

/** A parsed value with its position in a document. */
export interface ParsedValue {
  readonly schema: core.$ZodType;
  /** The refused value, with keys in camelCase. */
  readonly value: unknown;
  readonly prefix: Path;
  /** The document in its own spelling. */
  readonly document: unknown;
  readonly spelling?: Spelling | undefined;
  readonly column?: string;
  /** Whether values could be keys, so that no message quotes one. */
  readonly isPrivate?: boolean;
}

/** An error that shows on loading. */
export function loadError(path: string, told: Pick<Violation, 'type' | 'message' | 'remedy'>): Violation {
  return { stage: 'load', level: 'ERROR', path, ...told };
}

/** How to parse a whole document. */
interface FormOptions extends Pick<ParsedValue, 'spelling' | 'isPrivate'> {
  /** The name of the document in messages. */
  readonly source: string;
}

/** Parses a whole document; throws `config/invalid` with every error. */
export function parseForm<Schema extends z.ZodType>(
  schema: Schema,
  document: unknown,
  { source, spelling, isPrivate = false }: FormOptions,
): z.output<Schema> {
  const value = readForm(schema, document);
  const parsed = schema.safeParse(value, ONCE);
  if (parsed.success) return parsed.data;
  const violations = violationsOf(parsed.error.issues, { schema, value, prefix: [], document, spelling, isPrivate });
  throw new DataDesignerError('config/invalid', { source, violations: locate(violations, document) });
}

/** Zod's issues as violations, one for each unknown key. */
export function violationsOf(issues: readonly core.$ZodIssue[], parsed: ParsedValue): Violation[] {
  const { spelling = 'snake' } = parsed;
  const found = issues
    .flatMap((given) => nearestIssues(given))
    .flatMap((issue) => {
      const at = (path: Path) => ({
        stage: 'load' as const,
        level: 'ERROR' as const,
        ...(parsed.column === undefined ? {} : { column: parsed.column }),
        path: printPath([...parsed.prefix, ...path], parsed.document, spelling),
      });
      if (issue.code !== 'unrecognized_keys')
        return [{ ...at(issue.path), ...describeIssue(issue, parsed.value, parsed) }];
      const known = keysAt(parsed.schema, parsed.value, issue.path).map((key) =>
        spelling === 'snake' ? snakeCase(key) : key,
      );
      return issue.keys.map((key) => ({ ...at([...issue.path, key]), type: 'unknown_key', ...sayUnknown(key, known) }));
    });
  return withoutMisspelt(found);
}

/** A misspelt key is one mistake: leaves out that the key it stands for is missing. */
function withoutMisspelt(found: Violation[]): Violation[] {
  const missing = found.filter(({ type }) => type === 'missing' || type === 'unknown_kind').map(({ path }) => path);
  const meant = found.flatMap(({ type, path }) => {
    const parent = path.slice(0, path.lastIndexOf('.') + 1);
    const siblings = missing.filter((one) => one.startsWith(parent) && !/[.[]/.test(one.slice(parent.length)));
    const near =
      type === 'unknown_key'
        ? nearest(
            path.slice(parent.length),
            siblings.map((one) => one.slice(parent.length)),
          )
        : undefined;
    return near === undefined ? [] : [`${parent}${near}`];
  });
  return found.filter(({ type, path, message }) => {
    const isMissing = type === 'missing' || (type === 'unknown_kind' && message === MISSING_MESSAGE);
    return !isMissing || !meant.includes(path);
  });
}

function sayUnknown(key: string, known: readonly string[]): Pick<Violation, 'message' | 'remedy'> {
  if (known.includes(key) || known.includes(snakeCase(key))) {
    return { message: `the key '${key}' is given in two spellings.`, remedy: 'Remove one of them.' };
  }
  const spelt = known.some((one) => one.includes('_')) ? snakeCase(key) : key;
  return { message: `unknown key '${key}'.`, remedy: knownNames(spelt, known) };
}

/** Of a value that fits none of several alternatives, what is wrong with the alternative that it comes nearest to. */
function nearestIssues(issue: core.$ZodIssue): core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const isNearer = (a: core.$ZodIssue[], b: core.$ZodIssue[]) =>
    depthOf(a) > depthOf(b) || (depthOf(a) === depthOf(b) && a.length < b.length);
  const deepest = issue.errors.reduce((a, b) => (isNearer(b, a) ? b : a));
  if (depthOf(deepest) === 0) return [issue];
  return deepest.flatMap((inner) => nearestIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}

function depthOf(issues: readonly core.$ZodIssue[]): number {
  return issues.reduce((depth, { path }) => Math.max(depth, path.length), 0);
}
