import { type CellValue, Float, parseJson, type ToolCall } from '@data-designer/core';
import type { ToolCatalog } from './tool-catalog.ts';
import { type ToolRequest, writeToolRequest } from './tool-request.ts';

/** How a tool call went, whoever ended it: what the model is shown, or why it failed. */
export type ToolOutcome =
  | { readonly kind: 'answered'; readonly body: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly timedOut?: true };

/** A call that may be made: where, and with which body. */
export interface PreparedCall {
  readonly kind: 'ready';
  readonly resource: string;
  readonly body: string;
}

/** Checks what a model wrote before anything is sent: the name of the tool, and arguments that are a JSON object. */
export function prepareCall(call: ToolCall, catalog: ToolCatalog): PreparedCall | ToolOutcome {
  const { name } = call.function;
  const provider = catalog.providerOf.get(name);
  if (provider === undefined) {
    const known = [...catalog.providerOf.keys()].join(', ') || 'none';
    return failed(`there is no tool of this name; available tools: ${known}`);
  }
  const args = readArguments(call.function.arguments);
  if (args === undefined) return failed('its arguments are not valid JSON');
  if (!isObject(args)) return failed(`its arguments must be a JSON object, not ${kindOf(args)}`);
  return { kind: 'ready', resource: `tools/${provider}`, body: writeToolRequest({ name, arguments: args }) };
}

/** An outcome that tells the model why its call failed. */
export function failed(reason: string): ToolOutcome & { readonly kind: 'failed' } {
  return { kind: 'failed', reason };
}

/** No arguments at all count as an empty object; undefined means that the text is not JSON. */
function readArguments(text: string): CellValue | undefined {
  if (text.trim() === '') return {};
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function isObject(value: CellValue): value is CellValue & ToolRequest['arguments'] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

function kindOf(value: CellValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return `a ${typeof value === 'string' || typeof value === 'boolean' ? typeof value : 'number'}`;
}
