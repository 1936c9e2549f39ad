import {
  parseVerbatim,
  type Address,
  type ChatMessage,
  type DataDesignerError,
  type Fields,
  fieldsOf,
  isFields,
  itemsOf,
  stringOf,
} from '@data-designer/core';
import type { ChatAnswer } from '../../model-client.ts';
import { readToolCalls, type WrittenCall } from '../../answers/read-tool-calls.ts';
import { badAnswer, errorIn, refused, WITHHELD, withheld } from '../../answers/model-refusals.ts';
import { furtherFields, isThinking, REASONING_TEXTS, writtenFields } from './written-fields.ts';

/** Parses a body. Numbers stay as they were written in messages that have fields to send back. */
export function parseCompletion(text: string): unknown {
  const body: unknown = JSON.parse(text);
  const messages = itemsOf(fieldsOf(body).choices).map((choice) => fieldsOf(fieldsOf(choice).message));
  if (!messages.some(writtenFields)) return body;
  return { ...fieldsOf(body), choices: fieldsOf(parseVerbatim(text)).choices };
}

/** An answer and how it ended. */
interface Chosen {
  readonly message: Fields;
  readonly finishReason: string | null;
  readonly model: string | null;
}

/** The first choice of a completion; throws `model/bad-answer` where there is none. */
export function readChoice(body: unknown, model: string): Chosen {
  if (!isFields(body)) throw noChoice(model, body);
  const choice = fieldsOf(itemsOf(body.choices)[0]);
  const finishReason = stringOf(choice.finish_reason ?? body.stop_reason);
  // An answer that a filter withheld may come without a message.
  const message = choice.message ?? (finishReason === WITHHELD ? {} : undefined);
  if (!isFields(message)) throw noChoice(model, body);
  if (choice.error && !textOf(message)) throw noChoice(model, choice);
  return { message, finishReason, model: stringOf(body.model) };
}

/** The failure of an answer that cannot be used; some endpoints report an upstream failure with status 200. */
export function noChoice(model: string, body: unknown): DataDesignerError {
  const none = isFields(body)
    ? 'it contains no choices'
    : 'it is not a JSON object; check that the endpoint is a chat API';
  return badAnswer(model, errorIn(fieldsOf(body)), none);
}

/** Reads a chat completion; throws `model/bad-answer`, also for a model that will not answer. */
export function readCompletion(body: unknown, model: string, at: Address): ChatAnswer {
  const { message: said, ...chosen } = readChoice(body, model);
  const message = readMessage(said, at);
  if (!message.content && !message.tool_calls) {
    if (typeof said.refusal === 'string' && said.refusal !== '') throw refused(model, said.refusal);
    if (chosen.finishReason === WITHHELD) throw withheld(model);
  }
  const asWritten = writtenFields(said);
  const further = asWritten && furtherFields(asWritten);
  return {
    ...chosen,
    message,
    ...(isNoText(said) ? { isNoText: true } : {}),
    ...(asWritten ? { asWritten } : {}),
    ...(further === undefined ? {} : { further }),
  };
}

function isNoText({ content }: Fields): boolean {
  return content !== null && content !== undefined && typeof content !== 'string' && !Array.isArray(content);
}

function readMessage(message: Fields, at: Address): ChatMessage {
  const calls = callsOf(message);
  const thought = thoughtIn(message);
  return {
    role: 'assistant',
    content: textOf(message),
    ...(thought ? { reasoning_content: thought } : {}),
    ...(calls.length > 0 ? { tool_calls: readToolCalls(calls, at) } : {}),
  };
}

/** The text of an answer, its parts joined as they are; parts that are not text are left out. */
export function textOf({ content }: Fields): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  return content.flatMap((part) => (isThinking(part) ? [] : (stringOf(fieldsOf(part).text) ?? []))).join('');
}

/** The reasoning of an answer: its text by any of the usual names, else its details, else its parts. */
function thoughtIn(message: Fields): string {
  const said = REASONING_TEXTS.map((name) => stringOf(message[name]) ?? '').find((text) => text !== '');
  if (said !== undefined) return said;
  const details = itemsOf(message.reasoning_details).map(fieldsOf);
  const told = details.map((detail) => stringOf(detail.text) ?? stringOf(detail.summary) ?? '').join('');
  return told || itemsOf(message.content).filter(isThinking).map(thoughtOfPart).join('');
}

/** The text of a thinking part, which may be a list of parts itself. */
function thoughtOfPart(part: unknown): string {
  const { thinking, reasoning, text } = fieldsOf(part);
  const own = thinking ?? reasoning ?? text;
  if (typeof own === 'string') return own;
  return itemsOf(own)
    .map((inner) => stringOf(fieldsOf(inner).text) ?? '')
    .join('');
}

/** The calls of an answer; items that cannot be one are left out. */
function callsOf({ tool_calls: calls }: Fields): readonly WrittenCall[] {
  return itemsOf(calls)
    .filter(isFields)
    .map(({ id, function: called }) => {
      const { name, arguments: text } = fieldsOf(called);
      return { id, name, arguments: text };
    });
}
