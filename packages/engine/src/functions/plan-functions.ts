import type { FunctionHandle, UserFunction } from '@data-designer/core';
import { isMapping } from '@data-designer/config';

/** A part of a declaration with every function in it replaced by a handle: what holds none is given back itself. */
export function withHandles<Part>(part: Part, place: string): Part {
  return replaced(part, place) as Part;
}

/** The functions in a part of a declaration, by the handles that `withHandles` gives them at the same place. */
export function functionsIn(part: unknown, place: string): ReadonlyMap<string, UserFunction> {
  const found = new Map<string, UserFunction>();
  collect(part, place, found);
  return found;
}

function replaced(value: unknown, place: string): unknown {
  if (typeof value === 'function') return handleOf(value as UserFunction, place);
  if (Array.isArray(value)) {
    const changed = value.map((item: unknown, index) => replaced(item, `${place}.${index}`));
    return changed.every((item, index) => item === value[index]) ? value : changed;
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, replaced(member, `${place}.${key}`)] as const);
  return entries.every(([key, member]) => member === value[key]) ? value : Object.fromEntries(entries);
}

/** Keeps a function's plain-data properties: they declare what a generator needs. */
function handleOf(found: UserFunction, handle: string): FunctionHandle {
  const said = Object.entries(found).filter(([, value]) => typeof value !== 'function');
  return { ...Object.fromEntries(said), handle };
}

function collect(value: unknown, place: string, found: Map<string, UserFunction>): void {
  if (typeof value === 'function') found.set(place, value as UserFunction);
  else if (Array.isArray(value)) value.forEach((item: unknown, index) => collect(item, `${place}.${index}`, found));
  else if (isMapping(value)) {
    for (const [key, member] of Object.entries(value)) collect(member, `${place}.${key}`, found);
  }
}
