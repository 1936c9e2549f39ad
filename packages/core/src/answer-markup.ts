import { fieldsOf, tryParse } from './json-fields.ts';

/** Code, in which text may show any markup. */
const CODE = /^[ \t]*(```|~~~)[^\n]*\n.*?^[ \t]*\1[ \t]*$|`[^`\n]*`/gms;

/** How models write calls of tools that their server has not read. */
const TOOL_CALLS = [
  /<(?:minimax:)?tool_call>\s*(?:[{<]|[\w.-]+\s*<arg_key>)/,
  /<function=[\w.-]+>/,
  /<(?:antml:)?function_calls>\s*<(?:antml:)?invoke name=/,
  /<invoke name="[^"]+">\s*<parameter name=/,
  /\[TOOL_CALLS\]\s*(?:\[|\w)/,
  /<\|python_(?:tag|start)\|>/,
  /<\|tool_calls?(?:_section)?_begin\|>/,
  /<｜tool▁(?:calls?|sep)/,
  /<｜DSML｜/,
  /<\|channel\|>commentary to=/,
  /<\|START_ACTION\|>/,
  /<\|action_start\|>/,
  /<start_function_call>/,
  /✿FUNCTION✿/,
  /(?:^|\n)functools\[\{/,
] as const;

/** Tags of reasoning that are left in an answer. */
const THINKING =
  /<\/?think>|<\/?seed:think>|◁\/?think▷|\[\/?THINK\]|^\s*<(thinking|reasoning|thought)>.*<\/\1>|<\|(?:channel|message|start|end|return)\|>|^analysis\S.*assistantfinal/s;

/** A control character in place of a LaTeX command or a Windows path whose backslash was not escaped. */
const LOST_BACKSLASH =
  // oxlint-disable-next-line no-control-regex
  /[\b\f][A-Za-z]|\t(?:heta|imes|frac|extbf|extit|ext\{|ilde|riangle|herefore)(?![a-z])|\r[A-Za-z]|\n(?:abla|otin|ewcommand)(?![a-z])|(?<![A-Za-z])[CD]:[\b\f\n\r\t][A-Za-z]/;

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\b\f\n\r\t]/;

/** Whether text outside code holds a tool call as a model writes it. */
export function holdsToolCall(text: string): boolean {
  if (!mayHold(text)) return false;
  const patterns = TOOL_CALLS.filter((pattern) => pattern.test(text));
  if (patterns.length === 0) return false;
  const prose = withoutCode(text);
  return patterns.some((pattern) => pattern.test(prose));
}

/** Whether text is nothing but the JSON of a call of one of these tools. */
export function isCallOf(text: string, tools: ReadonlySet<unknown>): boolean {
  const json = /^(?:```\w*\s*)?(\{.*\})\s*(?:```)?$/s.exec(text)?.[1];
  if (tools.size === 0 || json === undefined) return false;
  const call = fieldsOf(tryParse(json, JSON.parse));
  return tools.has(call.name) && ('parameters' in call || 'arguments' in call);
}

/** Whether text outside code holds tags of reasoning. */
export function holdsThinkingTags(text: string): boolean {
  return (mayHold(text) || text.startsWith('analysis')) && THINKING.test(text) && THINKING.test(withoutCode(text));
}

/** Whether text has a control character where a backslash was meant. */
export function hasLostBackslash(text: string): boolean {
  return CONTROL.test(text) && LOST_BACKSLASH.test(text);
}

function mayHold(text: string): boolean {
  return /[<[◁✿]|functools/.test(text);
}

function withoutCode(text: string): string {
  return text.replaceAll(CODE, '');
}
