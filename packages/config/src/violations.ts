import type { core, z } from 'zod';
import { DataDesignerError, itemsOf, knownNames, nearest, type Violation } from '@data-designer/core';
import { locate } from './locate.ts';
import { readForm } from './read-form.ts';
import { isMapping, keysAt, partOf, snakeCase } from './spelling.ts';

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
export interface Parsed {
  readonly schema: core.$ZodType;
  /** The refused value, with keys in camelCase. */
  readonly value: unknown;
  readonly prefix: Path;
  /** The document in its own spelling. */
  readonly document: unknown;
  readonly spelling?: Spelling | undefined;
  readonly column?: string;
}

/** An error that shows on loading. */
export function loadError(path: string, told: Pick<Violation, 'type' | 'message' | 'remedy'>): Violation {
  return { stage: 'load', level: 'ERROR', path, ...told };
}

/** Parses a whole document; throws `config/invalid` with every error. */
export function parseForm<Schema extends z.ZodType>(
  schema: Schema,
  document: unknown,
  { source, spelling }: { readonly source: string; readonly spelling?: Spelling | undefined },
): z.output<Schema> {
  const value = readForm(schema, document);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const violations = violationsOf(parsed.error.issues, { schema, value, prefix: [], document, spelling });
  throw new DataDesignerError('config/invalid', { source, violations: locate(violations, document) });
}

/** Zod's issues as violations, one for each unknown key. */
export function violationsOf(issues: readonly core.$ZodIssue[], parsed: Parsed): Violation[] {
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
      if (issue.code !== 'unrecognized_keys') return [{ ...at(issue.path), ...sayIssue(issue, parsed) }];
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

const MISSING_MESSAGE = 'this key is missing.';

function sayUnknown(key: string, known: readonly string[]): Pick<Violation, 'message' | 'remedy'> {
  if (known.includes(key) || known.includes(snakeCase(key))) {
    return { message: `the key '${key}' is given twice, in two spellings.`, remedy: 'Take one out.' };
  }
  const spelt = known.some((one) => one.includes('_')) ? snakeCase(key) : key;
  return { message: `the key '${key}' is not known here.`, remedy: knownNames(spelt, known) };
}

/** Of a value that fits none of several alternatives, what is wrong with the alternative that it comes nearest to. */
function nearestIssues(issue: core.$ZodIssue): core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const deepest = issue.errors.reduce((a, b) => (depthOf(b) > depthOf(a) ? b : a));
  if (depthOf(deepest) === 0) return [issue];
  return deepest.flatMap((inner) => nearestIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}

function depthOf(issues: readonly core.$ZodIssue[]): number {
  return issues.reduce((depth, { path }) => Math.max(depth, path.length), 0);
}

function sayIssue(issue: core.$ZodIssue, { value }: Parsed): Pick<Violation, 'type' | 'message' | 'remedy'> {
  const found = issue.path.reduce<unknown>(partOf, value);
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    const known = issue.options.filter((option) => option !== undefined).map(String);
    const name = typeof found === 'string' ? found : '';
    const wrong =
      typeof found === 'string' ? `there is no '${name}' here.` : `expected a name, found ${kindOf(found)}.`;
    const message = found === undefined ? MISSING_MESSAGE : wrong;
    return { type: 'unknown_kind', message, remedy: knownNames(name, known) };
  }
  if (found === undefined)
    return { type: 'missing', message: MISSING_MESSAGE, remedy: `Add it; its value is ${described(expected(issue))}.` };
  if (issue.code === 'invalid_union') {
    const message = `expected ${expected(issue)}, found ${kindOf(found)}.`;
    return { type: 'invalid_value', message, remedy: '' };
  }
  const text = issue.message.replace(/^Invalid input: /, '').replace(/[.]$/, '');
  return { type: 'invalid_value', message: `${text.charAt(0).toLowerCase()}${text.slice(1)}.`, remedy: '' };
}

const ARTICLES: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** A kind of value in words, such as `a list` for zod's `array`. */
function described(kind: string): string {
  return kind
    .split(' or ')
    .map((one) => ARTICLES[one] ?? one)
    .join(' or ');
}

/** The kind of a value for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : isMapping(value) ? 'a mapping' : `a ${typeof value}`;
}

function expected(issue: core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.expected;
  if (issue.code === 'invalid_union') {
    const kinds = issue.errors.flatMap(([first]) => (first ? [expected(first)] : []));
    return [...new Set(kinds)].join(' or ') || 'a value';
  }
  if (issue.code === 'invalid_value') return issue.values.map(String).join(' or ');
  return /^expected (.+)$/.exec(issue.message)?.[1] ?? 'a value';
}
