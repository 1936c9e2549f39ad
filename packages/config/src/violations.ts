import { type core, z } from 'zod';
import { DataDesignerError, fieldsOf, type Violation } from '@data-designer/core';
import { type ParsedValue, printPath } from './document-path.ts';
import { describeIssue, isOwnMessage, MISSING_MESSAGE } from './describe-issue.ts';
import { loadRemedies } from './load-remedies.ts';
import { locate } from './locate.ts';
import { ONCE, readForm } from './read-form.ts';
import { camelCase, isMapping, keysAt, partOf } from './spelling.ts';

type Path = readonly PropertyKey[];

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
export function violationsOf(given: readonly core.$ZodIssue[], parsed: ParsedValue): Violation[] {
  const { spelling = 'snake' } = parsed;
  const issues = given.flatMap((one) => nearestIssues(one));
  const print = (path: Path) => printPath([...parsed.prefix, ...path], parsed.document, spelling);
  /** The missing keys that unknown ones stand for: a misspelt or misplaced key is one mistake. */
  const meant = new Set<string>();
  const at = (path: Path) => ({
    stage: 'load' as const,
    level: 'ERROR' as const,
    ...(parsed.column === undefined ? {} : { column: parsed.column }),
    path: print(path),
  });
  const found = issues.flatMap((issue): Violation[] => {
    if (issue.code !== 'unrecognized_keys') {
      return [
        {
          ...at(issue.path),
          ...describeIssue(issue, parsed.value, parsed),
          ...loadRemedies().remedyOfSchema(issue, parsed, { readForm, issuesOf }),
        },
      ];
    }
    return issue.keys.map((key) => {
      const missing = issues.flatMap((one) => missingIn(one, issue.path));
      const { stands, ...told } = loadRemedies().explainUnknown({ key, path: issue.path, missing }, parsed, {
        readForm,
        issuesOf,
      });
      if (stands !== undefined) meant.add(print([...issue.path, stands]));
      return { ...at([...issue.path, key]), type: 'unknown_key', ...told };
    });
  });
  return found.filter((one) => !isMissing(one) || !meant.has(one.path));
}

/** The key of a mapping that an issue finds missing. */
function missingIn(issue: core.$ZodIssue, mapping: Path): readonly string[] {
  const key = issue.path.at(-1);
  const isThere =
    issue.path.length === mapping.length + 1 && mapping.every((step, index) => step === issue.path[index]);
  return isThere && typeof key === 'string' && issue.code === 'invalid_type' ? [key] : [];
}

/** Keys of an object that its schema ignores, as Python does: an error in code, whose types refuse them, else a warning. */
export function ignoredKeys(path: Path, read: unknown, parsed: ParsedValue): Violation[] {
  const { schema, value, prefix, document, spelling = 'snake' } = parsed;
  const known = new Set(keysAt(schema, { value, path }));
  const keys = Object.keys(fieldsOf(path.reduce<unknown>(partOf, value)));
  if (known.size === 0) return [];
  const ignored = keys.filter((key) => !known.has(key) && partOf(read, key) === undefined);
  return ignored.map((key) => {
    const { stands: _, ...told } = loadRemedies().explainUnknown({ key, path }, parsed, { readForm, issuesOf });
    const at = printPath([...prefix, ...path, key], document, spelling);
    return { stage: 'load', level: spelling === 'camel' ? 'ERROR' : 'WARNING', type: 'unknown_key', path: at, ...told };
  });
}

/** Warnings of booleans that are read as numbers, as Python does: a list of `true` and `false` draws 1 and 0. */
export function booleansAsNumbers(
  given: unknown,
  read: unknown,
  { prefix, document, spelling, column }: Omit<ParsedValue, 'schema' | 'value'>,
): readonly Violation[] {
  const found: Violation[] = [];
  const compare = (one: unknown, other: unknown, path: Path): void => {
    if (typeof one === 'boolean' && typeof other === 'number') {
      const message = `the boolean ${one} is read as the number ${other}.`;
      const isItem = typeof path.at(-1) === 'number';
      const remedy = isItem ? `Write ${other}, or '${one}' in quotes for the text.` : `Write ${other} if you mean it.`;
      const told = { path: printPath([...prefix, ...path], document, spelling), type: 'boolean_as_number' };
      found.push({
        stage: 'load',
        level: 'WARNING',
        ...(column !== undefined && { column }),
        ...told,
        message,
        remedy,
      });
    } else if (Array.isArray(one)) one.forEach((item, index) => compare(item, partOf(other, index), [...path, index]));
    else if (isMapping(one) && one !== other)
      for (const key of Object.keys(one)) {
        const known = [key, camelCase(key)].find((name) => partOf(other, name) !== undefined);
        if (known !== undefined) compare(one[key], partOf(other, known), [...path, key]);
      }
  };
  compare(given, read, []);
  return found;
}

/** The value with unknown keys under the names that they seem to stand for, or without them, so that the rest can be checked. */
export function withKnownKeys(given: readonly core.$ZodIssue[], parsed: ParsedValue): unknown {
  let { value } = parsed;
  for (const issue of given.flatMap((one) => nearestIssues(one))) {
    for (const key of issue.code === 'unrecognized_keys' ? issue.keys : []) {
      const { stands } = loadRemedies().explainUnknown({ key, path: issue.path }, parsed, { readForm, issuesOf });
      value = renamed(value, [...issue.path, key], stands);
    }
  }
  return value;
}

/** A value with another name for a key at a path, or without it. */
function renamed(value: unknown, [step = '', ...rest]: Path, name: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? renamed(item, rest, name) : item));
  if (!isMapping(value)) return value;
  const { [String(step)]: part, ...others } = value;
  if (rest.length > 0) return { ...value, [step]: renamed(part, rest, name) };
  return name === undefined || Object.hasOwn(others, name) ? others : { ...others, [name]: part };
}

function isMissing({ type, message }: Violation): boolean {
  return type === 'missing' || (type === 'unknown_kind' && message === MISSING_MESSAGE);
}

function issuesOf(schema: core.$ZodType, value: unknown): readonly core.$ZodIssue[] {
  return z.safeParse(schema, value, ONCE).error?.issues ?? [];
}

/** Of a value that fits none of several alternatives, what is wrong with the alternative that it comes nearest to. */
function nearestIssues(issue: core.$ZodIssue): core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0 || isOwnMessage(issue.message)) return [issue];
  const isNearer = (a: core.$ZodIssue[], b: core.$ZodIssue[]) =>
    depthOf(a) > depthOf(b) || (depthOf(a) === depthOf(b) && a.length < b.length);
  const deepest = issue.errors.reduce((a, b) => (isNearer(b, a) ? b : a));
  if (depthOf(deepest) === 0) return [issue];
  return deepest.flatMap((inner) => nearestIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}

function depthOf(issues: readonly core.$ZodIssue[]): number {
  return issues.reduce((depth, { path }) => Math.max(depth, path.length), 0);
}
