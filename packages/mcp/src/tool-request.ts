import { fieldsOf, parseJson, stringifyJson, unboxed, wellFormedJson } from '@data-designer/core';
import { withEveryDigit } from './exact-numbers.ts';
import type { JsonObject } from './tool-session.ts';

/** A tool call in the body of a gateway call. */
export interface ToolRequest {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Writes the body of a `tools/call`; integers keep all their digits. */
export function writeToolRequest(request: ToolRequest): string {
  return wellFormedJson(stringifyJson({ name: request.name, arguments: request.arguments }));
}

/** Reads the body of a `tools/call` for a function: its arguments are plain values, integers beyond 2^53 `bigint`s. */
export function readFunctionRequest(body: string): ToolRequest {
  const { name, arguments: args } = fieldsOf(unboxed(parseJson(body)));
  return { name: String(name), arguments: fieldsOf(args) };
}

/** Reads the body of a `tools/call` for a server. Its arguments hold what plain `JSON.stringify` writes with every digit. */
export function readToolRequest(body: string): ToolRequest {
  const { name, arguments: args } = fieldsOf(parseJson(body));
  return { name: String(name), arguments: fieldsOf(withEveryDigit(args)) };
}
