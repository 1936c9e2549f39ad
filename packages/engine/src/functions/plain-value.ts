import { DataDesignerError } from '@data-designer/core';

/** Deeper than any value that is meant, and what a circle comes to. */
const MAX_DEPTH = 200;

/**
 * What a function gives, if it may stand in a dataset: text, finite numbers, integers of any size, truths, null, and lists
 * and plain objects of these. Throws `function/bad-value`, which says where what was found instead.
 */
export function plainValue<Value>(value: Value, name: string): Value {
  look(value, { name, at: 'its result', depth: 0 });
  return value;
}

interface Place {
  readonly name: string;
  readonly at: string;
  readonly depth: number;
}

function look(value: unknown, place: Place): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return;
    case 'number':
      if (Number.isFinite(value)) return;
      throw refused(place, String(value));
    case 'object':
      return lookInto(value, place);
    default:
      throw refused(place, value === undefined ? 'undefined' : `a ${typeof value}`);
  }
}

function lookInto(value: object | null, place: Place): void {
  if (value === null) return;
  const { name, at, depth } = place;
  if (depth > MAX_DEPTH) throw refused({ ...place, at: at.slice(0, 60) }, 'nested too deep, or holds itself');
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      look(value[index], { name, at: `${at}[${index}]`, depth: depth + 1 });
    }
    return;
  }
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: string } } | null;
  if (prototype !== null && prototype !== Object.prototype) {
    throw refused(place, `a ${prototype.constructor?.name ?? 'special object'}`);
  }
  for (const key of Object.keys(value)) {
    look((value as Record<string, unknown>)[key], { name, at: `${at}.${key}`, depth: depth + 1 });
  }
}

function refused({ name, at }: Place, found: string): DataDesignerError {
  return new DataDesignerError('function/bad-value', { function: name, at, found });
}
