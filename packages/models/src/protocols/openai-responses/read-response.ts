import {
  type Address,
  type Fields,
  fieldsOf,
  isFields,
  itemsOf,
  legalToolCall,
  parseVerbatim,
  stringOf,
  type ToolCall,
} from '@data-designer/core';
import { badAnswer, refused, WITHHELD, withheld } from '../../answers/model-refusals.ts';
import { furtherMembers } from '../../answers/further-members.ts';
import { readToolCalls } from '../../answers/read-tool-calls.ts';
import type { ChatAnswer } from '../../model-client.ts';

/** Parses a body. Numbers stay as they were written in items to send back. */
export function parseResponse(text: string): unknown {
  const body: unknown = JSON.parse(text);
  if (!itemsOf(fieldsOf(body).output).filter(isFields).some(mustGoBack)) return body;
  return { ...fieldsOf(body), output: fieldsOf(parseVerbatim(text)).output };
}

/** Reads an answer of the Responses API; throws `model/bad-answer`, also for a model that refuses to answer. */
export function readResponse(body: unknown, model: string, at: Address): ChatAnswer {
  const { output, status, incomplete_details: details, error, model: named } = fieldsOf(body);
  if (!Array.isArray(output)) throw badAnswer(model, error, "it contains no 'output'");
  const items = output.filter(isFields);
  const messages = finalMessages(items);
  const texts = messages.flatMap(textsOf);
  const calls = callsIn(items, at);
  const cutBy = stringOf(fieldsOf(details).reason);
  if (texts.join('') === '' && calls.length === 0) {
    const refusals = textsIn(messages.flatMap(partsOf), 'refusal');
    if (refusals.length > 0) throw refused(model, refusals.join('\n'));
    if (cutBy === WITHHELD) throw withheld(model);
  }
  const thoughts = items.filter(isReasoning).flatMap(reasoningOf);
  const reasoning = thoughts.filter((thought) => thought !== '').join('\n');
  const written = asWritten(items, calls);
  const further = furtherMembers(items, STORED);
  return {
    message: {
      role: 'assistant',
      content: texts.length > 0 ? texts.join('\n') : null,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    model: stringOf(named),
    finishReason: finishReason({ status, cutBy, hasCalls: calls.length > 0 }),
    ...(messages.some(isNoText) ? { isNoText: true } : {}),
    ...(written ? { asWritten: written } : {}),
    ...(further.length > 0 ? { further } : {}),
  };
}

/** The finish reason in the terms of chat completions, by which the conversation recognises a cut answer. */
function finishReason(ending: {
  readonly status: unknown;
  readonly cutBy: string | null;
  readonly hasCalls: boolean;
}): string | null {
  const { status, cutBy, hasCalls } = ending;
  if (cutBy !== null) return cutBy === 'max_output_tokens' ? 'length' : cutBy;
  if (status !== 'completed') return null;
  return hasCalls ? 'tool_calls' : 'stop';
}

/** The messages of the answer: commentary counts only where there is nothing else. */
function finalMessages(items: readonly Fields[]): readonly Fields[] {
  const messages = items.filter(({ type }) => type === 'message');
  const final = messages.filter(({ phase }) => phase !== 'commentary');
  return final.length > 0 ? final : messages;
}

/** The text of a message: its parts joined; none where no part has text. */
function textsOf(message: Fields): readonly string[] {
  if (typeof message.content === 'string') return [message.content];
  const texts = textsIn(partsOf(message), 'text');
  return texts.length > 0 ? [texts.join('')] : [];
}

function partsOf({ content }: Fields): readonly Fields[] {
  return itemsOf(content).filter(isFields);
}

function textsIn(parts: readonly Fields[], key: 'text' | 'refusal'): readonly string[] {
  return parts.map((part) => part[key]).filter((text) => typeof text === 'string');
}

function isNoText({ content }: Fields): boolean {
  return typeof content !== 'string' && !Array.isArray(content);
}

function isReasoning({ type }: Fields): boolean {
  return type === 'reasoning';
}

/** The reasoning text, which open models give, or else its summary. */
function reasoningOf({ content, summary }: Fields): readonly string[] {
  const told = textsIn(partsOf({ content }), 'text');
  return told.length > 0 ? told : textsIn(partsOf({ content: summary }), 'text');
}

function callsIn(items: readonly Fields[], at: Address): readonly ToolCall[] {
  const calls = items.filter(({ type }) => type === 'function_call');
  const written = calls.map(({ call_id: id, name, arguments: args }) => ({ id, name, arguments: args }));
  return readToolCalls(written, at);
}

/**
 * The items of an answer to send back as they are, calls repaired, because the model reasoned or they have members that
 * requests would not write; undefined otherwise.
 * The provider stores nothing, so it refuses reasoning without encrypted content, and reasoning that nothing follows.
 */
function asWritten(items: readonly Fields[], calls: readonly ToolCall[]): readonly Fields[] | undefined {
  const kept = items.filter((item) => !isReasoning(item) || typeof item.encrypted_content === 'string');
  const end = kept.findLastIndex((item) => !isReasoning(item)) + 1;
  const whole = kept.slice(0, end);
  return whole.some(mustGoBack) ? withLegalCalls(whole, calls) : undefined;
}

/** The members of messages and calls that requests write themselves, or that say how the answer ended. */
const OWN: ReadonlySet<string> = new Set(['type', 'id', 'role', 'content', 'status', 'call_id', 'name', 'arguments']);

/** The members that traces store. */
const STORED: ReadonlySet<string> = new Set([...OWN, 'summary']);

/** Whether an item is reasoning, or has members that requests would not write. */
function mustGoBack(item: Fields): boolean {
  return isReasoning(item) || Object.entries(item).some(([name, value]) => value !== null && !OWN.has(name));
}

/** Repairs calls that the API would refuse to take back, with the ids that their results refer to. */
function withLegalCalls(items: readonly Fields[], calls: readonly ToolCall[]): readonly Fields[] {
  const left = calls.map(legalToolCall);
  return items.map((item) => {
    const call = item.type === 'function_call' ? left.shift() : undefined;
    return call ? { ...item, call_id: call.id, name: call.function.name, arguments: call.function.arguments } : item;
  });
}
