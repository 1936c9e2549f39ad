import {
  type CellValue,
  type Fields,
  Float,
  isFields,
  isNestedTooDeeply,
  nearest,
  printNames,
  readArguments,
  type ToolCall,
  type ToolFailureKind,
  toolsOf,
} from '@data-designer/core';
import { calledTool } from './called-tool.ts';
import type { OfferedTool, ToolCatalog } from './tool-catalog.ts';
import { writeToolRequest } from './tool-request.ts';

/** The outcome of a tool call, from any of its steps: the result, or why it failed. */
export type ToolOutcome = (
  | { readonly kind: 'answered'; readonly body: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly why: ToolFailureKind }
) & {
  /** How long the tool took; absent if the call did not reach it. */
  readonly elapsedMs?: number | undefined;
};

/** A call that may be made. */
export interface PreparedCall {
  readonly kind: 'ready';
  readonly resource: string;
  readonly body: string;
}

/** At most so many names are listed for a model that used an unknown one. */
const MOST_NAMES = 30;

/**
 * Step 1 of a tool call: checks the name of the tool, and that the arguments are a JSON object that fits the tool's schema, as
 * written or after a conversion of types. Nothing is sent for a call that fails here.
 */
export function prepareCall(call: ToolCall, catalog: ToolCatalog): PreparedCall | ToolOutcome {
  const { name, arguments: text } = call.function;
  const { tool, name: known } = calledTool(name, catalog);
  if (tool === undefined) return failedOutcome(whyUnknown(known, catalog), 'unknown-tool');
  if (isNestedTooDeeply(text)) return refused('its arguments are nested too deeply');
  const written = readArguments(text);
  if (written === undefined) return refused('its arguments are not valid JSON');
  if (!isFields(written) || written instanceof Float)
    return refused(`its arguments must be a JSON object, not ${kindOf(written)}`);
  const named = tool.withRealNames(written);
  const accepted = tool.check?.(named) ?? { value: named };
  if ('mistake' in accepted) return refused(`its arguments do not fit: ${accepted.mistake.replace(/\.$/, '')}`);
  return ready(tool, accepted.value);
}

function ready({ provider, name }: OfferedTool, args: Fields): PreparedCall {
  return { kind: 'ready', resource: toolsOf(provider), body: writeToolRequest({ name, arguments: args }) };
}

/** The outcome of a failed call. */
export function failedOutcome(reason: string, why: ToolFailureKind): ToolOutcome & { readonly kind: 'failed' } {
  return { kind: 'failed', reason, why };
}

function refused(reason: string): ToolOutcome {
  return failedOutcome(reason, 'arguments');
}

function whyUnknown(name: string, catalog: ToolCatalog): string {
  const { tools, hidden } = catalog;
  const names = [...tools.keys()];
  const available = `available tools: ${printNames(names, MOST_NAMES) || 'none'}`;
  if (hidden.has(name)) return `it is not allowed here; ${available}`;
  const near = meantBy(name, catalog);
  return `there is no tool of this name${near === undefined ? '' : `, did you mean '${near}'?`}; ${available}`;
}

/**
 * The allowed tool that a name was meant for. None where the nearest is not allowed, or where another provider may have
 * been meant, as its names are near too or its prefix is another: the model would then act on the wrong server.
 */
function meantBy(name: string, { tools, hidden }: ToolCatalog): string | undefined {
  const all = new Map([...hidden, ...tools]);
  const near = nearest(name, all.keys());
  const found = near === undefined ? undefined : tools.get(near);
  if (!found) return undefined;
  if (found.prefix !== '') return name.startsWith(found.prefix) ? near : undefined;
  const others = [...all].filter(([, { provider }]) => provider !== found.provider).map(([other]) => other);
  return nearest(name, others) === undefined ? near : undefined;
}

function kindOf(value: CellValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return `a ${typeof value === 'string' || typeof value === 'boolean' ? typeof value : 'number'}`;
}
