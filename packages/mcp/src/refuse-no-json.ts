/**
 * Throws for what a function gave that JSON would show as nothing: an `Error` as itself, a map, a set, a generator or a
 * response as one that is no JSON. Objects of classes that hold values are JSON, as are dates.
 */
export function refuseNoJson(value: unknown): void {
  if (value instanceof Error) throw value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  if (isMapping(value) || 'toJSON' in value) return;
  const isStored = value instanceof Map || value instanceof Set || Symbol.asyncIterator in value;
  if (!isStored && Object.keys(value).length > 0) return;
  const kind = kindOf(value);
  throw new Error(`it gave ${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}, which is no JSON`);
}

/** Whether an object is of no class, in whichever realm it was made. */
function isMapping(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: object): string {
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return tag === 'Object' ? value.constructor.name : tag;
}
