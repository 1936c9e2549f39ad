import { isMapping, type Mapping } from '@data-designer/config';
import { stringifyJson } from '@data-designer/core';
import { RolloutFault } from '../rollout.ts';

/** A member of a record as text: what is no text as JSON; null where there is none, or an empty one. */
export function textOf(record: Mapping, key: string): string | null {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** A member of a record that must be text; throws a `RolloutFault` with the record's place where it is none. */
export function neededText(record: Mapping, key: string, place: string): string {
  const value = record[key];
  if (typeof value === 'string' && value !== '') return value;
  throw new RolloutFault(`${place} has no text '${key}'`);
}

/** A member of a record that is a mapping; an empty one where it is not. */
export function mappingOf(record: Mapping, key: string): Mapping {
  const value = record[key];
  return isMapping(value) ? value : {};
}

/** A member of a record that must be a list of mappings, or be missing; throws a `RolloutFault`. */
export function neededMappings(record: Mapping, key: string, place: string): readonly Mapping[] {
  const value = record[key] ?? [];
  if (Array.isArray(value) && value.every(isMapping)) return value;
  throw new RolloutFault(`${place} has no list of objects '${key}'`);
}

/** The texts under some keys of a record, without those that are missing. */
export function textsOf(record: Mapping, keys: readonly string[]): Mapping {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const text = textOf(record, key);
      return text === null ? [] : [[key, text]];
    }),
  );
}

/** The name of a file without its last ending. */
export function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
