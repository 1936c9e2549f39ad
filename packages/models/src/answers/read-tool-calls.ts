import { type Address, stringifyJson, type ToolCall } from '@data-designer/core';

/** A call of a tool as a model's answer holds it: any part of it may be anything. */
export interface WrittenCall {
  readonly id?: unknown;
  readonly name?: unknown;
  /** Text as it is, anything else as JSON. */
  readonly arguments?: unknown;
}

/**
 * The calls of one answer, whose ids tell them apart: a call without an id, or with that of a call before it, gets one
 * made of its address, so that a replay makes the same one.
 */
export function readToolCalls(written: readonly WrittenCall[], at: Address): readonly ToolCall[] {
  const taken = new Set<string>();
  return written.map(({ id: given, name, arguments: args }, index) => {
    const own = textOf(given);
    let id = own === '' || taken.has(own) ? `call_${at.row}_${at.call}_${index}` : own;
    while (taken.has(id)) id += '_';
    taken.add(id);
    return { id, type: 'function', function: { name: textOf(name), arguments: textOf(args) } };
  });
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : stringifyJson(value);
}
