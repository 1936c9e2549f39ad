import type { ToolCall } from './message.ts';

/** What model APIs take for the name of a function. */
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** What may stand before the names of a provider's tools: characters of such names, and room for the names. */
export const TOOL_PREFIX = /^[a-zA-Z0-9_-]{1,32}$/;

/** How many characters of a function's name model APIs take. */
export const LONGEST_TOOL_NAME = 64;

/** A name with `_` for each character that model APIs do not take; it may be empty or too long. */
export function plainToolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
}

/** How deeply the arguments of a call may be nested: far more than any tool asks for, and less than parsers stand. */
export const DEEPEST_CALL = 500;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Whether JSON text is nested more deeply than servers and schemas can follow. */
export function isNestedTooDeeply(text: string): boolean {
  if (text.length <= DEEPEST_CALL) return false;
  let depth = 0;
  let inText = false;
  // Sign by sign: a pattern for texts of many megabytes needs more stack than there is.
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (inText && sign === BACKSLASH) at++;
    else if (sign === QUOTE) inText = !inText;
    else if (inText) continue;
    else if (sign === 0x5b || sign === 0x7b) depth++;
    else if (sign === 0x5d || sign === 0x7d) depth--;
    if (depth > DEEPEST_CALL) return true;
  }
  return false;
}

/** Whether a value is nested more deeply than that; it may be so deep that nothing that calls itself could follow. */
export function isDeeperThanCalls(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= DEEPEST_CALL; depth++) {
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** The object that the arguments of a call are; undefined where they are none, or nested too deeply to go on. */
export function argumentsOf({ function: { arguments: text } }: ToolCall): object | undefined {
  if (isNestedTooDeeply(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Calls that were looked at: a conversation says each again with every request. */
const legal = new WeakSet<ToolCall>();

/**
 * A call that may stand in the history of a request: servers that read it refuse arguments that are no object, and
 * names that no function may have. The call itself where nothing is wrong with it.
 */
export function legalToolCall(call: ToolCall): ToolCall {
  if (legal.has(call)) return call;
  const { name, arguments: text } = call.function;
  const isNamed = TOOL_NAME.test(name);
  const isObject = argumentsOf(call) !== undefined;
  if (isNamed && isObject) {
    legal.add(call);
    return call;
  }
  return {
    ...call,
    function: {
      ...call.function,
      name: isNamed ? name : plainToolName(name).slice(0, LONGEST_TOOL_NAME) || 'unknown',
      arguments: isObject ? text : '{}',
    },
  };
}
