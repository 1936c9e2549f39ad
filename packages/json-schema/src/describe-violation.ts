import type { ErrorObject } from 'ajv';
import { type CellValue, fieldsOf, itemsOf, stringifyJson } from '@data-designer/core';
import { asSchema, typesOf } from './json-schema.ts';

const LONGEST_SHOWN = 200;
/** Keywords that only report that a group of subschemas failed; the errors of the group precede theirs. */
const GROUPS = new Set(['anyOf', 'oneOf', 'if', 'unevaluatedProperties']);

/** Keywords that tell apart the branches of a group: the model hardly meant a branch that fails by one of these. */
const KINDS = new Set(['type', 'const', 'enum']);

/** The longest list of property sets in a mistake. */
const MOST_SETS = 10;

/**
 * The sets of properties that the branches of a group require, as text: `'a'; 'b' and 'c'`. Undefined if a branch
 * requires none, or all require the same.
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
 * Describes the error that helps a model most, as a sentence. Takes all errors of a verbose ajv and the value as the
 * model wrote it, with all its digits; `subject` names the value as a whole.
 */
export function describeViolation(errors: readonly ErrorObject[], value: CellValue, subject = 'the answer'): string {
  const error = bestOf(errors);
  if (!error) return `${subject} is not valid.`;
  const steps = stepsOf(error.instancePath);
  // The error of an invalid property name has the path of its object.
  const given = error.propertyName === undefined ? valueAt(value, steps) : error.data;
  return `${pathOf(steps, subject)} ${claimOf(error, given)}.`;
}

/** Outside groups, the error nearest the root; within a group, the deepest error, because its branch fits best. */
function bestOf(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const single = errors.filter(({ keyword }) => !GROUPS.has(keyword));
  const groups = errors.filter(isGroup);
  const outside = outsideOfGroups(errors);
  if (outside.length > 0 || groups.length === 0) return byDepth(outside)[0] ?? errors[0];
  const [group] = byDepth(groups);
  const telling = single.filter(({ keyword }) => !KINDS.has(keyword));
  if (telling.length === 1) return telling[0];
  const deepest = byDepth(single).at(-1);
  return deepest && group && depthOf(deepest) > depthOf(group)
    ? single.find((error) => depthOf(error) === depthOf(deepest))
    : group;
}

/** Errors of no group: those of a group precede its own error, at its path or below. */
function outsideOfGroups(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const groupPaths = new Set<string>();
  const outside: ErrorObject[] = [];
  for (const error of errors.toReversed()) {
    const { keyword, instancePath } = error;
    if (keyword === 'anyOf' || keyword === 'oneOf') groupPaths.add(instancePath);
    else if (!GROUPS.has(keyword) && !isWithin(instancePath, groupPaths)) outside.push(error);
  }
  return outside.toReversed();
}

function isWithin(instancePath: string, groupPaths: ReadonlySet<string>): boolean {
  if (groupPaths.has('')) return true;
  let path = instancePath;
  while (path !== '' && !groupPaths.has(path)) path = path.slice(0, path.lastIndexOf('/'));
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
    (value, step) => (Array.isArray(value) ? itemsOf(value)[Number(step)] : fieldsOf(value)[step]),
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
  const sets = isGroup(error) && typeof given === 'object' ? requiredSets(itemsOf(schema)) : undefined;
  if (sets !== undefined)
    return `must have ${keyword === 'oneOf' ? 'exactly ' : ''}one of these sets of properties: ${sets}${found}`;
  if (keyword === 'type') return `must be of type ${typesOf({ type: schema }).join(' or ')}${found}`;
  if (keyword === 'enum') return `must be one of ${itemsOf(schema).map(shown).join(', ')}${found}`;
  if (keyword === 'const') return `must be ${shown(schema)}${found}`;
  if (keyword === 'anyOf' || (keyword === 'oneOf' && params['passingSchemas'] === null)) {
    return `must be ${itemsOf(schema).map(formOf).join(' or ')}${found}`;
  }
  if (isInt64Limit(error)) return `must fit in 64 bits, from ${-(2n ** 63n)} to ${2n ** 63n - 1n}${found}`;
  if (LIMITS.has(keyword))
    return `must be ${String(params['comparison'])} ${digitsOf(Number(params['limit']))}${found}`;
  return `${message}${found}`;
}

function isGroup({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

const LIMITS = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);

/** The limits of integers that are stored in 64 bits. */
function isInt64Limit({ keyword, params }: ErrorObject): boolean {
  const limit = Number(params['limit']);
  return keyword === 'minimum' ? limit === -(2 ** 63) : keyword === 'exclusiveMaximum' && limit === 2 ** 63;
}

/** Writes a limit such as 2^63 with all its digits. */
function digitsOf(limit: number): string {
  return Number.isInteger(limit) && Math.abs(limit) <= 2 ** 64 ? String(BigInt(limit)) : String(limit);
}

/** Names a schema in a few words. */
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
