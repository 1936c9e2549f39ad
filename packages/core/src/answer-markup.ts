import { fieldsOf, tryParse } from './json-fields.ts';

/** Code, in which text may show any markup: fences, which may lack their end or be followed by markup, inline code, HTML, and indented blocks. */
const CODE = [
  /^[ \t>]*(`{3,}|~{3,})[^\n]*\n(?:.*?^[ \t>]*\1[`~]*(?:[ \t\r]*$|(?=<[|｜/]|<tool_call>|<function|\[TOOL_CALLS\]))|.*)/gms,
  /(?<!`)(`{1,3})(?!`)[^\n]*?[^`\n]\1(?!`)/g,
  /<(code|pre|kbd|samp)\b[^<>]*>(?:(?!<\1\b).){0,5000}?<\/\1>/gs,
  /(?<=\n[ \t\r]*\n)(?:(?: {4}|\t)[^\n]*(?:\n|$))+/g,
] as const;

/** How models write calls of tools that their server has not read, with the end of the call where it has one. */
const TOOL_CALLS = [
  /<(?:minimax:)?tool_call>\s*(?:[{<]|[\w.-]+\s*<arg_key>)(?:[^\n<]{0,999}<\/(?:minimax:)?tool_call>)?/g,
  /<function=[\w.-]+>/g,
  /<(?:antml:)?function_calls>\s*<(?:antml:)?invoke name=/g,
  /<invoke name="[^"]+">\s*<parameter name=/g,
  /\[TOOL_CALLS\]\s*(?:\[|\w)/g,
  /<\|python_(?:tag|start)\|>/g,
  /<\|tool_calls?(?:_section)?_begin\|>/g,
  /<｜tool▁(?:calls?|sep)(?:▁\w+)*(?:｜>)?/g,
  /<｜DSML｜(?:>|\w+>)?/g,
  /<\|channel\|>commentary to=/g,
  /<\|START_ACTION\|>/g,
  /<\|action_start\|>/g,
  /<start_function_call>/g,
  /✿FUNCTION✿:?/g,
  /(?:^|\n)functools\[\{/g,
] as const;

/** Tags of reasoning that are left in an answer; a pair around nothing is one. */
const THINKING = [
  /<think>[ \t]*(?:\.{3}|…)?[ \t]*<\/think>|<\/?think>|<\/?seed:think>|◁\/?think▷|\[\/?THINK\]|<\|(?:channel|message|start|end|return)\|>/g,
  /^\s*<(thinking|reasoning|thought)>.*<\/\1>/gs,
  /^analysis\S.*assistantfinal/gs,
] as const;

/** Tokens with which chat templates separate messages; an endpoint that stops at the wrong token leaves them in the text. */
const TEMPLATE_TOKENS = [
  /<\|(?:im_(?:start|end|sep)|(?:start|end)_header_id|eot_id|eom_id|begin_of_text|end_of_text|endoftext|endofprompt|end_of_turn|system|user|assistant|observation|(?:START|END)_OF_TURN_TOKEN|(?:USER|CHATBOT|SYSTEM)_TOKEN)\|>/g,
  /<(?:start|end)_of_turn>/g,
  /<｜(?:(?:begin|end)▁of▁sentence|User|Assistant)｜>/g,
  /\[\/?(?:INST|AVAILABLE_TOOLS|TOOL_RESULTS)\]|<<\/?SYS>>/g,
  /<\/?tool_response>/g,
  /(?<!<s>[^\n]*)<\/s>\s*$/g,
] as const;

/** A control character in place of a LaTeX command or a Windows path whose backslash was not escaped. */
const LOST_BACKSLASH =
  // oxlint-disable-next-line no-control-regex
  /[\b][A-Za-z]|\f[a-z]|\t(?:heta|imes|frac|extbf|extit|ext\{|ilde|riangle|herefore)(?![a-z])|\r(?:ho|ight|ightarrow|angle|ceil)(?![a-z])|\n(?:abla|otin|ewcommand)(?![a-z])|(?<![A-Za-z])[C-E]:(?:\t(?:emp|mp|ools|est)|\r(?:epos?|eports?|oot|eleases?)|\n(?:ew|ode|etwork))(?![a-z])/;

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\b\f\n\r\t]/;

/** Whether text outside code holds a tool call as a model writes it, in contrast to text about one. */
export function holdsToolCall(text: string): boolean {
  return mayHold(text) && holdsAny(text, TOOL_CALLS);
}

/** Whether text is nothing but the JSON of a call of one of these tools. */
export function isCallOf(text: string, tools: ReadonlySet<unknown>): boolean {
  const json = /^(?:```\w*\s*)?(\{.*\})\s*(?:```)?$/s.exec(text)?.[1];
  if (tools.size === 0 || json === undefined) return false;
  const call = fieldsOf(tryParse(json, JSON.parse));
  return tools.has(call.name) && ('parameters' in call || 'arguments' in call);
}

/** Whether text outside code holds tags of reasoning, in contrast to text about them. */
export function holdsThinkingTags(text: string): boolean {
  return (mayHold(text) || text.startsWith('analysis')) && holdsAny(text, THINKING);
}

/** Whether text outside code holds tokens of a chat template, in contrast to text about them. */
export function holdsTemplateTokens(text: string): boolean {
  return mayHold(text) && holdsAny(text, TEMPLATE_TOKENS);
}

/** Whether text has a control character where a backslash was meant. */
export function hasLostBackslash(text: string): boolean {
  return CONTROL.test(text) && LOST_BACKSLASH.test(text);
}

function mayHold(text: string): boolean {
  return /[<[◁✿]|functools/.test(text);
}

function holdsAny(text: string, patterns: readonly RegExp[]): boolean {
  const found = patterns.filter((pattern) => text.search(pattern) >= 0);
  if (found.length === 0) return false;
  const prose = withoutCode(text);
  return found.some((pattern) =>
    [...prose.matchAll(pattern)].some(({ 0: markup, index }) => !isMention(prose, index, index + markup.length)),
  );
}

/** The text with the word `code` in place of code: fences, inline code, HTML and indented blocks. */
export function withoutCode(text: string): string {
  return /[`~]|<(?:code|pre|kbd|samp)|\n(?: {4}|\t)/.test(text)
    ? CODE.reduce((rest, code) => rest.replaceAll(code, 'code'), text)
    : text;
}

const OPENS = /(?:^|[\s/|…])["'“‘„«([*_]*$/;
const GOES_ON = /^["'”’“»)\]*_]*[.,;:!?]?["'”’»)]*(?:[\s/|…–—-]|$)/;
/** Longer context does not matter. */
const LONGEST_CONTEXT = 200;

/**
 * Whether a sentence speaks of markup: it stands within a line, apart from the words around it, or in quotes. At the start or
 * end of a line it is markup of the model, unless quotes, a colon or a dash show that the line is about it.
 */
function isMention(text: string, start: number, end: number): boolean {
  const head = text.slice(Math.max(0, start - LONGEST_CONTEXT), start);
  const tail = text.slice(end, end + LONGEST_CONTEXT);
  const before = head.slice(head.lastIndexOf('\n') + 1);
  const [after = ''] = tail.split('\n', 1);
  if (/^[\s>*-]*$/.test(before)) return /^(?::|\s+[:=–—-])\s*\S/.test(after);
  return after.trim() !== '' && OPENS.test(before) && GOES_ON.test(after);
}
