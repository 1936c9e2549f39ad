import { isMapping, type Mapping } from '@data-designer/config';
import { stringifyJson } from '@data-designer/core';
import { RolloutFault } from '../rollout.ts';

/** A member of a record as text, other values as JSON; null if it is missing or empty. */
export function textOf(record: Mapping, key: string): string | null {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** A member of a record that must be text; throws a `RolloutFault` that names the record. */
export function neededText(record: Mapping, key: string, where: string): string {
  const value = record[key];
  if (typeof value === 'string' && value !== '') return value;
  throw new RolloutFault(`${where} has no text '${key}'`);
}

/** A member of a record if it is a mapping; else an empty mapping. */
export function mappingOf(record: Mapping, key: string): Mapping {
  const value = record[key];
  return isMapping(value) ? value : {};
}

/** A member of a record that must be a list of mappings, or be missing; throws a `RolloutFault`. */
export function neededMappings(record: Mapping, key: string, where: string): readonly Mapping[] {
  const value = record[key] ?? [];
  if (Array.isArray(value) && value.every(isMapping)) return value;
  throw new RolloutFault(`${where} has no list of objects '${key}'`);
}

/** Members of a record as text, without missing ones. */
export function textsOf(record: Mapping, keys: readonly string[]): Mapping {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const text = textOf(record, key);
      return text === null ? [] : [[key, text]];
    }),
  );
}

/** The ids of a session that no other one started. */
export function mainSession(sessionId: string) {
  return { traceId: sessionId, rootSessionId: sessionId, agentId: null, isSidechain: false } as const;
}

/** The types of records, each once. */
export function typesOf(records: readonly Mapping[]): string[] {
  return [...new Set(records.map((record) => textOf(record, 'type') ?? 'unknown'))].toSorted();
}

/** A file name without its extension. */
export function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
