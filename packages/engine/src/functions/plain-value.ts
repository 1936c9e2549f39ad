import { inspect } from 'node:util';
import { DataDesignerError, MAX_VALUE_DEPTH } from '@data-designer/core';

/**
 * Copies a function's result as plain data: well-formed text, finite numbers, integers of any size, booleans, null, and lists and
 * plain objects of these. Each part is read once, so getters and proxies cannot change it later. Throws
 * `function/bad-value` with the path of the offending part; `at` names the value.
 */
export function plainValue<Value>(value: Value, name: string, at = 'its result'): Value {
  const path: Path = [];
  try {
    return plain(value, path) as Value;
  } catch (thrown) {
    const found = thrown instanceof NotPlain ? thrown.found : `unreadable: ${describeThrown(thrown)}`;
    throw new DataDesignerError('function/bad-value', { function: name, at: at + printed(path), found });
  }
}

/** The keys and indexes down to the current part. */
type Path = (string | number)[];

/** A part that is not plain data. */
class NotPlain {
  readonly found: string;

  constructor(found: string) {
    this.found = found;
  }
}

function plain(value: unknown, path: Path): unknown {
  switch (typeof value) {
    case 'string':
      if (value.isWellFormed()) return value;
      throw new NotPlain('text with half of a character (a lone surrogate)');
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
  if (path.length > MAX_VALUE_DEPTH) {
    path.length = 10;
    throw new NotPlain('nested too deeply, or contains itself');
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
    // Assigning it would set the copy's prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, enumerable: true, writable: true });
    else copy[key] = member;
    path.pop();
  }
  return copy;
}

function printed(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
}

/** A thrown value in words; never throws itself. */
export function describeThrown(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name;
    return typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 1 }).slice(0, 200);
  } catch {
    return 'its error cannot be printed';
  }
}
