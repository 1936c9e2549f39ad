import {
  type ContentPart,
  isFields,
  parseVerbatim,
  stringifyJson,
  type ToolCall,
  type ToolSchema,
  tryParse,
} from '@data-designer/core';
import type { TrainingMessage } from '../../training-format.ts';

/** The text of a message: its text parts joined; empty without content. */
export function textIn({ content }: Pick<TrainingMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text = '' }) => text).join('');
}

/** The arguments of a call as an object; undefined for a text that is no JSON object. */
export function argumentsOf({
  function: { arguments: text },
}: ToolCall): Readonly<Record<string, unknown>> | undefined {
  const value = tryParse(text, parseVerbatim);
  return isFields(value) ? value : undefined;
}

/** A call as a name and an object. */
export function namedCall(call: ToolCall): { readonly name: string; readonly arguments: unknown } {
  return { name: call.function.name, arguments: argumentsOf(call) ?? {} };
}

/** Why images do not fit where only messages of the user may have them; undefined if they do. */
export function refuseImagesBeside(
  messages: readonly TrainingMessage[],
  roles: Readonly<Partial<Record<TrainingMessage['role'], string>>>,
): string | undefined {
  const found = messages.find((message) => roles[message.role] !== undefined && hasImages(message));
  return found && `an image in ${roles[found.role]}`;
}

function hasImages({ content }: TrainingMessage): boolean {
  return Array.isArray(content) && content.some(({ type }: ContentPart) => type === 'image');
}

/** Calls as JSON text without the marks that readers search for: their `<` is escaped. */
export function callText(calls: unknown): string {
  return stringifyJson(calls).replaceAll(/<(?=\/?(?:think|tool_call)>)/g, '\\u003c');
}

/** Why reasoning does not fit where it is in the text; undefined if it does. */
export function refuseMarks(messages: readonly TrainingMessage[]): string | undefined {
  const isMarked = messages.some(({ reasoning_content: reasoning = '' }) => /<\/think>|<tool_call>/.test(reasoning));
  return isMarked ? 'reasoning with </think> or <tool_call>, where readers see its end or a call' : undefined;
}

/** Why the calls of a format that needs objects do not fit; undefined if they do. */
export function refuseTextArguments(messages: readonly TrainingMessage[]): string | undefined {
  const calls = messages.flatMap(({ tool_calls: made = [] }) => made);
  return calls.some((call) => argumentsOf(call) === undefined)
    ? 'arguments of a call that are no JSON object'
    : undefined;
}

/** The system message at the start, and the others. */
export function splitSystem(
  messages: readonly TrainingMessage[],
): readonly [system: string, rest: readonly TrainingMessage[]] {
  const [first, ...rest] = messages;
  return first?.role === 'system' ? [textIn(first), rest] : ['', messages];
}

/** Why system messages do not fit where only the first message may be one; undefined if they do. */
export function refuseLaterSystem(messages: readonly TrainingMessage[]): string | undefined {
  return messages.slice(1).some(({ role }) => role === 'system') ? 'a system message behind other messages' : undefined;
}

/** A tool in the form of OpenAI, without the fields that are ours. */
export function openAITool({ type, function: described }: ToolSchema): Pick<ToolSchema, 'type' | 'function'> {
  return { type, function: described };
}

/** The parameters of a tool for readers that need an object with properties. */
export function objectParameters({ function: { parameters } }: ToolSchema): Readonly<Record<string, unknown>> {
  return { type: 'object', properties: {}, ...parameters };
}

/** Tools as JSON text, which every version of `datasets` loads unchanged. */
export function toolsText(tools: readonly ToolSchema[]): string {
  return stringifyJson(tools.map(openAITool));
}

/** Reasoning in front of a text, as models with a reasoning parser write it. */
export function withThought({ reasoning_content: reasoning = '' }: TrainingMessage, text: string): string {
  return reasoning === '' ? text : `<think>\n${reasoning}\n</think>\n\n${text}`;
}

/** The results that follow an answer, in the order of its calls; undefined unless each call has one. */
export function resultsOf(messages: readonly TrainingMessage[], at: number): readonly TrainingMessage[] | undefined {
  const calls = messages[at]?.tool_calls ?? [];
  const following = messages.slice(at + 1, at + 1 + calls.length);
  const ordered = calls.map(({ id }, index) => {
    const same = calls.slice(0, index).filter((call) => call.id === id).length;
    return following.filter(({ role, tool_call_id: answered }) => role === 'tool' && answered === id)[same];
  });
  return ordered.every((message) => message !== undefined) ? ordered : undefined;
}
