import { DataDesignerError } from '@data-designer/core';
import { wordsOf } from './words-of.ts';

/** Deeper than any value that is meant, and what a circle comes to. */
const MAX_DEPTH = 200;

/**
 * What a function gives, if it may stand in a dataset: text, finite numbers, integers of any size, truths, null, and lists
 * and plain objects of these. The copy is made of these alone, whatever a value only behaves like: each part is read once.
 * Throws `function/bad-value`, which says where what was found instead. `at` is where the value stands.
 */
export function plainValue<Value>(value: Value, name: string, at = 'its result'): Value {
  const path: Path = [];
  try {
    return plain(value, path) as Value;
  } catch (thrown) {
    const found = thrown instanceof NotPlain ? thrown.found : `not to be read: ${wordsOf(thrown)}`;
    throw new DataDesignerError('function/bad-value', { function: name, at: at + printed(path), found });
  }
}

/** The steps down to the part that is looked at. */
type Path = (string | number)[];

/** Says what was found where no such thing may be; where that is, the path says. */
class NotPlain {
  readonly found: string;

  constructor(found: string) {
    this.found = found;
  }
}

function plain(value: unknown, path: Path): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw new NotPlain(String(value));
    case 'object':
      return value === null ? null : plainParts(value, path);
    default:
      throw new NotPlain(value === undefined ? 'undefined' : `a ${typeof value}`);
  }
}

function plainParts(value: object, path: Path): unknown {
  if (path.length > MAX_DEPTH) {
    path.length = 10;
    throw new NotPlain('nested too deep, or holds itself');
  }
  return Array.isArray(value) ? plainItems(value, path) : plainMembers(value, path);
}

function plainItems(value: readonly unknown[], path: Path): unknown[] {
  const copy: unknown[] = [];
  const { length } = value;
  for (let index = 0; index < length; index++) {
    path.push(index);
    copy.push(plain(value[index], path));
    path.pop();
  }
  return copy;
}

function plainMembers(value: object, path: Path): Record<string, unknown> {
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: string } } | null;
  if (prototype !== null && prototype !== Object.prototype) {
    throw new NotPlain(`a ${prototype.constructor?.name ?? 'special object'}`);
  }
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    path.push(key);
    const member = plain((value as Record<string, unknown>)[key], path);
    // Set plainly it would be the copy's prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, enumerable: true, writable: true });
    else copy[key] = member;
    path.pop();
  }
  return copy;
}

function printed(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
}
