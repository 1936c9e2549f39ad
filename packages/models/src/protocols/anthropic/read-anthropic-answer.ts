import {
  type Address,
  type Fields,
  fieldsOf,
  isFields,
  legalToolCall,
  parseVerbatim,
  stringifyJson,
  stringOf,
  type ToolCall,
} from '@data-designer/core';
import type { ChatAnswer } from '../../model-client.ts';
import { badAnswer, refused } from '../../answers/model-refusals.ts';
import { furtherMembers } from '../../answers/further-members.ts';
import { readToolCalls } from '../../answers/read-tool-calls.ts';
import { NO_ANSWER } from '../translate-messages.ts';

/** Reads an answer of the Messages protocol; throws `model/bad-answer`, also for a model that will not answer. */
export function readAnthropicAnswer(body: unknown, model: string, at: Address): ChatAnswer {
  const { content, stop_reason: reason, stop_details: details, model: named, error } = fieldsOf(body);
  if (!Array.isArray(content)) throw badAnswer(model, error, "it contains no 'content'");
  const blocks = content.filter(isFields);
  const thoughts = textsIn(blocks, 'thinking').filter((thought) => thought !== '');
  const reasoning = thoughts.join('\n');
  const calls = callsIn(blocks, at);
  const texts = textsIn(blocks, 'text');
  const further = furtherMembers(blocks, STORED);
  // The protocol says to ignore the text before a refusal.
  if (reason === 'refusal') throw refused(model, wordsOf(fieldsOf(details).explanation, texts));
  return {
    message: {
      role: 'assistant',
      content: texts.length > 0 ? texts.join('') : null,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    finishReason: stringOf(reason),
    model: stringOf(named),
    ...(blocks.some(mustGoBack) ? { asWritten: asWritten(blocks, calls) } : {}),
    ...(further.length > 0 ? { further } : {}),
  };
}

function wordsOf(explanation: unknown, texts: readonly string[]): string {
  return typeof explanation === 'string' && explanation !== '' ? explanation : texts.join('\n');
}

/** The blocks to send back, without empty texts; a message may not end with thinking that was cut off. */
function asWritten(blocks: readonly Fields[], calls: readonly ToolCall[]): readonly Fields[] {
  const kept = withLegalCalls(blocks, calls).filter(({ type, text }) => type !== 'text' || text);
  const last = kept.at(-1);
  return last && isThinking(last) ? [...kept, { type: 'text', text: NO_ANSWER }] : kept;
}

/** Repairs calls that the API would refuse to take back, with the ids that their results refer to. */
function withLegalCalls(blocks: readonly Fields[], calls: readonly ToolCall[]): readonly Fields[] {
  const left = calls.map(legalToolCall);
  return blocks.map((block) => {
    const call = block.type === 'tool_use' ? left.shift() : undefined;
    if (call === undefined) return block;
    const { name, arguments: text } = call.function;
    const isWhole = call.id === block.id && name === block.name && isFields(block.input);
    return isWhole ? block : { ...block, id: call.id, name, input: parseVerbatim(text) };
  });
}

/** The members of blocks that requests write themselves. */
const OWN: ReadonlySet<string> = new Set(['type', 'text', 'id', 'name', 'input']);

/** The members that traces store. */
const STORED: ReadonlySet<string> = new Set([...OWN, 'thinking']);

/** Whether a block holds more than requests would write of it: thinking, or members that this protocol version adds. */
function mustGoBack(block: Fields): boolean {
  if (block.type !== 'text' && block.type !== 'tool_use') return true;
  return Object.entries(block).some(([name, value]) => value !== null && !OWN.has(name));
}

/** Thinking is signed: the API takes it back only complete and unchanged. */
function isThinking({ type }: Fields): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function textsIn(blocks: readonly Fields[], type: 'text' | 'thinking'): readonly string[] {
  const texts = blocks.filter((block) => block.type === type).map((block) => block[type]);
  return texts.map((text) => (typeof text === 'string' ? text : ''));
}

/** The calls of an answer; an input that is a string, not an object, is kept as its JSON text. */
function callsIn(blocks: readonly Fields[], at: Address): readonly ToolCall[] {
  const uses = blocks.filter(({ type }) => type === 'tool_use');
  const written = uses.map(({ id, name, input }) => {
    return { id, name, arguments: typeof input === 'string' ? stringifyJson(input) : input };
  });
  return readToolCalls(written, at);
}
