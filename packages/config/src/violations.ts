import { knownNames, type Violation } from '@data-designer/core';
import type { core } from 'zod';
import { isMapping, keysAt, snakeCase } from './spelling.ts';

type Path = readonly PropertyKey[];

/** Where a part of a document stands, in the document's own spelling, as `columns[1].model_alias`. */
export function printPath(path: Path, document: unknown): string {
  let text = '';
  let here: unknown = document;
  for (const step of path) {
    if (typeof step === 'number') {
      text += `[${step}]`;
      here = Array.isArray(here) ? (here[step] as unknown) : undefined;
    } else {
      const key = spelled(String(step), here);
      text += text === '' ? key : `.${key}`;
      here = isMapping(here) ? here[key] : undefined;
    }
  }
  return text;
}

/** A key as the document writes it; one that is missing is named as files write it. */
function spelled(key: string, here: unknown): string {
  return isMapping(here) && key in here ? key : snakeCase(key);
}

/** What was parsed, and where it stands. */
export interface Parsed {
  readonly schema: core.$ZodType;
  /** The value that the schema refused, its keys already in camelCase. */
  readonly value: unknown;
  readonly prefix: Path;
  /** The whole document, in its own spelling. */
  readonly document: unknown;
  readonly column?: string;
}

/** Zod's issues as violations, one for each unknown key. */
export function violationsOf(issues: readonly core.$ZodIssue[], parsed: Parsed): Violation[] {
  return issues.flatMap((issue) => {
    const at = (path: Path) => ({
      stage: 'load' as const,
      level: 'ERROR' as const,
      ...(parsed.column === undefined ? {} : { column: parsed.column }),
      path: printPath([...parsed.prefix, ...path], parsed.document),
    });
    if (issue.code !== 'unrecognized_keys') return [{ ...at(issue.path), ...sayIssue(issue, parsed) }];
    const known = keysAt(parsed.schema, parsed.value, issue.path).map(snakeCase);
    return issue.keys.map((key) => ({
      ...at([...issue.path, key]),
      type: 'unknown_key',
      message: `the key '${key}' is not known here.`,
      remedy: knownNames(snakeCase(key), known),
    }));
  });
}

function sayIssue(issue: core.$ZodIssue, { value }: Parsed): Pick<Violation, 'type' | 'message' | 'remedy'> {
  const given = issue.path.reduce<unknown>(
    (part, step) => (part as Record<PropertyKey, unknown> | undefined)?.[step],
    value,
  );
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    const known = issue.options.map(String);
    const name = typeof given === 'string' ? given : JSON.stringify(given ?? '');
    const message = given === undefined ? 'it is missing.' : `there is no '${name}' here.`;
    return { type: 'unknown_kind', message, remedy: knownNames(name, known) };
  }
  if (given === undefined)
    return { type: 'missing', message: 'it is missing.', remedy: `Expected: ${expected(issue)}.` };
  const text = issue.message.replace(/^Invalid input: /, '');
  return { type: 'invalid_value', message: `${text.charAt(0).toLowerCase()}${text.slice(1)}.`, remedy: '' };
}

function expected(issue: core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.expected;
  return issue.code === 'invalid_value' ? issue.values.map(String).join(' or ') : 'a value';
}
