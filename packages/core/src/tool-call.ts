import { Float } from './float.ts';
import { isFields, tryParse } from './json-fields.ts';
import { parseJson, stringifyJson } from './json.ts';
import type { ToolCall } from './message.ts';
import type { CellValue } from './value.ts';

/** A function name that model APIs accept. */
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** A prefix for the tool names of a provider: it leaves room for the names. */
export const TOOL_PREFIX = /^[a-zA-Z0-9_-]{1,32}$/;

/** The maximum length of a function name in model APIs. */
export const LONGEST_TOOL_NAME = 64;

/** A name with `_` for each character that model APIs refuse; it may be empty or too long. */
export function plainToolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
}

/** The maximum nesting of a call's arguments: more than any tool needs, less than parsers can handle. */
export const DEEPEST_CALL = 500;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Whether JSON text is nested more deeply than servers and schemas can follow. */
export function isNestedTooDeeply(text: string): boolean {
  if (text.length <= DEEPEST_CALL) return false;
  let depth = 0;
  let inText = false;
  // A regular expression would overflow the stack on texts of many megabytes.
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (inText && character === BACKSLASH) at++;
    else if (character === QUOTE) inText = !inText;
    else if (inText) continue;
    else if (character === 0x5b || character === 0x7b) depth++;
    else if (character === 0x5d || character === 0x7d) depth--;
    if (depth > DEEPEST_CALL) return true;
  }
  return false;
}

/** Whether a value is nested more deeply than that. Iterative, because recursion could overflow the stack. */
export function isDeeperThanCalls(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= DEEPEST_CALL; depth++) {
    const parts = level.flatMap((part): unknown[] =>
      typeof part === 'object' && part !== null ? Object.values(part) : [],
    );
    level = parts.filter((part) => typeof part === 'object' && part !== null);
    if (parts.length === 0) return false;
  }
  return true;
}

/** The arguments of a call; undefined if they are not an object, or nested too deeply. */
export function argumentsOf({ function: { arguments: text } }: ToolCall): object | undefined {
  if (isNestedTooDeeply(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const FENCED = /^```\w*\s*\n([\s\S]*?)\n?\s*```$/;

/**
 * The arguments in the text of a model; undefined if it is not JSON. A code fence around them and one encoding as a JSON text
 * are removed. Nothing, `null` and an empty list count as an empty object.
 */
export function readArguments(text: string, isEncoded = false): CellValue | undefined {
  const trimmed = text.trim();
  const written = tryParse(FENCED.exec(trimmed)?.[1] ?? trimmed, parseJson);
  if (trimmed === '' || written === null || (Array.isArray(written) && written.length === 0)) return {};
  if (typeof written !== 'string' || isEncoded || isNestedTooDeeply(written)) return written;
  return readArguments(written, true) ?? written;
}

/** The text that stands for a call's arguments in the history: as written if that is an object, else the object that the tool got. */
function legalArguments(call: ToolCall): string {
  const { arguments: text } = call.function;
  if (argumentsOf(call) !== undefined) return text;
  const read = isNestedTooDeeply(text) ? undefined : readArguments(text);
  return isFields(read) && !(read instanceof Float) ? stringifyJson(read) : '{}';
}

/** Checked calls: a conversation repeats each of them in every request. */
const legal = new WeakSet<ToolCall>();

/**
 * A call that servers accept in the history of a request: its arguments an object, its name a valid function name. A valid
 * call is returned unchanged. Arguments that no tool got are an empty object.
 */
export function legalToolCall(call: ToolCall): ToolCall {
  if (legal.has(call)) return call;
  const { name, arguments: text } = call.function;
  const isNamed = TOOL_NAME.test(name);
  const args = legalArguments(call);
  if (isNamed && args === text) {
    legal.add(call);
    return call;
  }
  return {
    ...call,
    function: {
      ...call.function,
      name: isNamed ? name : plainToolName(name).slice(0, LONGEST_TOOL_NAME) || 'unknown',
      arguments: args,
    },
  };
}
