import type { ErrorObject } from 'ajv';
import { type CellValue, stringifyJson } from '@data-designer/core';
import { asSchema, typesOf } from './json-schema.ts';

const LONGEST_SHOWN = 200;
/** Keywords that only say that some of several schemas did not hold; what did not hold stands before them. */
const GROUPS = new Set(['anyOf', 'oneOf', 'if', 'unevaluatedProperties']);

/** Keywords that say of what kind a value is: a branch that fails by these was hardly meant. */
const KINDS = new Set(['type', 'const', 'enum']);

/** More sets of properties than these are not told. */
const MOST_SETS = 10;

/**
 * The sets of properties that alternatives require, in words: `'a'; 'b' and 'c'`. Undefined where one of them requires
 * none, or all require the same.
 */
export function requiredSets(branches: readonly unknown[]): string | undefined {
  const sets = branches.map((part) => {
    const { required } = asSchema(part);
    return Array.isArray(required) ? required.map((name) => `'${String(name)}'`).join(' and ') : '';
  });
  const distinct = [...new Set(sets)];
  if (distinct.length < 2 || distinct.includes('')) return undefined;
  const more = distinct.length - MOST_SETS;
  return distinct.slice(0, MOST_SETS).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/**
 * The one mistake that tells a model best what to change, as a sentence; `errors` as ajv collects them, verbose, and
 * the value as the model wrote it, with all its digits. What was checked as a whole is called by its name, `subject`.
 */
export function describeViolation(errors: readonly ErrorObject[], value: CellValue, subject = 'the answer'): string {
  const error = bestOf(errors);
  if (!error) return `${subject} is not valid.`;
  const steps = stepsOf(error.instancePath);
  // A name that may not be is at the place of its object.
  const given = error.propertyName === undefined ? valueAt(value, steps) : error.data;
  return `${pathOf(steps, subject)} ${claimOf(error, given)}.`;
}

/** ProviderRouter of branches the mistake nearest the top; in a branch the one deepest in the answer, as the branch meant. */
function bestOf(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const single = errors.filter(({ keyword }) => !GROUPS.has(keyword));
  const groups = errors.filter(isGroup);
  const outside = outsideOfGroups(errors);
  if (outside.length > 0 || groups.length === 0) return byDepth(outside)[0] ?? errors[0];
  const group = byDepth(groups)[0] as ErrorObject;
  const telling = single.filter(({ keyword }) => !KINDS.has(keyword));
  if (telling.length === 1) return telling[0];
  const deepest = byDepth(single).at(-1);
  return deepest && depthOf(deepest) > depthOf(group)
    ? single.find((error) => depthOf(error) === depthOf(deepest))
    : group;
}

/** Mistakes that belong to no group: one of a group stands before it, at its place or deeper in the answer. */
function outsideOfGroups(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const places = new Set<string>();
  const outside: ErrorObject[] = [];
  for (const error of errors.toReversed()) {
    const { keyword, instancePath } = error;
    if (keyword === 'anyOf' || keyword === 'oneOf') places.add(instancePath);
    else if (!GROUPS.has(keyword) && !isWithin(instancePath, places)) outside.push(error);
  }
  return outside.toReversed();
}

function isWithin(instancePath: string, places: ReadonlySet<string>): boolean {
  if (places.has('')) return true;
  let path = instancePath;
  while (path !== '' && !places.has(path)) path = path.slice(0, path.lastIndexOf('/'));
  return path !== '';
}

function byDepth(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return errors.toSorted((a, b) => depthOf(a) - depthOf(b));
}

function depthOf({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length;
}

function stepsOf(instancePath: string): readonly string[] {
  const steps = instancePath.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(answer: CellValue, steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (value, step) => (value as Readonly<Record<string, unknown>> | undefined)?.[step],
    answer,
  );
}

/** `/pets/0/name` as `pets[0].name`. */
function pathOf(steps: readonly string[], subject: string): string {
  if (steps.length === 0) return subject;
  const path = steps
    .map((step, index) => (/^\d+$/.test(step) ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
  return `'${path}'`;
}

function claimOf(error: ErrorObject, given: unknown): string {
  const { keyword, params, schema, message = 'is not valid' } = error;
  if (keyword === 'required') return `lacks the required property '${String(params['missingProperty'])}'`;
  if (keyword === 'additionalProperties') return `may not have a property '${String(params['additionalProperty'])}'`;
  const found = `, but it is ${shown(given)}`;
  const sets =
    isGroup(error) && typeof given === 'object' ? requiredSets(error.schema as readonly unknown[]) : undefined;
  if (sets !== undefined)
    return `must have ${keyword === 'oneOf' ? 'exactly ' : ''}one of these sets of properties: ${sets}${found}`;
  if (keyword === 'type') return `must be of type ${typesOf({ type: schema }).join(' or ')}${found}`;
  if (keyword === 'enum') return `must be one of ${(schema as readonly unknown[]).map(shown).join(', ')}${found}`;
  if (keyword === 'const') return `must be ${shown(schema)}${found}`;
  if (keyword === 'anyOf' || (keyword === 'oneOf' && params['passingSchemas'] === null)) {
    return `must be ${(schema as readonly unknown[]).map(formOf).join(' or ')}${found}`;
  }
  if (LIMITS.has(keyword))
    return `must be ${String(params['comparison'])} ${digitsOf(Number(params['limit']))}${found}`;
  return `${message}${found}`;
}

function isGroup({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

const LIMITS = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);

/** All digits of a limit such as 2^63. */
function digitsOf(limit: number): string {
  return Number.isInteger(limit) && Math.abs(limit) <= 2 ** 64 ? String(BigInt(limit)) : String(limit);
}

/** A schema in a few words. */
function formOf(schema: unknown): string {
  const { title, $ref: reference, const: only, enum: values } = asSchema(schema);
  if (typeof title === 'string') return title;
  if (typeof reference === 'string') return reference.slice(reference.lastIndexOf('/') + 1);
  if (only !== undefined) return shown(only);
  if (Array.isArray(values)) return values.map(shown).join(' or ');
  return typesOf(asSchema(schema)).join(' or ') || 'of another form that the schema allows';
}

function shown(value: unknown): string {
  const text = stringifyJson(value) ?? 'missing';
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
