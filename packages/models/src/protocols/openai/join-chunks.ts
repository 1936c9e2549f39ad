import { type Fields, fieldsOf, isFields, itemsOf, stringOf, tryParse } from '@data-designer/core';
import { REASONING_TEXTS } from './written-fields.ts';

/** Fields of a chunk's message whose pieces are joined; of any other text the last one counts. */
const JOINED: ReadonlySet<string> = new Set(['content', 'refusal', ...REASONING_TEXTS]);

/**
 * The completion in the chunks of a stream; undefined where the stream ends before its first choice does. A finish reason
 * ends a choice. `[DONE]` alone does not, as proxies write it behind an answer that broke off. It has to come where the
 * endpoint gives a finish reason before the end of the text.
 */
export function joinChunks(chunks: readonly Fields[], isEnded: boolean): Fields | undefined {
  const failed = chunks.find(isFailure);
  const usage = chunks.findLast((chunk) => isFields(chunk.usage))?.usage;
  const paid = usage === undefined ? {} : { usage };
  if (failed) return { error: failed.error || failed, ...paid };
  const all = chunks.flatMap(choicesOf);
  // Some servers count from 1.
  const first = Math.min(...all.map(indexOf));
  const choices = all.filter((choice) => indexOf(choice) === first);
  const finishReason = finishReasonOf(choices);
  if (finishReason === undefined || (!isEnded && isEarly(choices))) return undefined;
  let message: Fields | undefined;
  for (const { message: whole, delta } of choices) {
    if (isFields(whole)) message = isAllOf(whole, message) ? { ...message, ...whole } : addDelta(message, whole);
    else if (isFields(delta)) message = addDelta(message, delta);
  }
  const joined = message ? [{ index: 0, message: withoutPositions(message), finish_reason: finishReason }] : [];
  // Azure begins with a chunk about the prompt, which names no model.
  const head = chunks.find((chunk) => choicesOf(chunk).some((choice) => indexOf(choice) === first));
  return { ...head, object: 'chat.completion', choices: joined, ...paid };
}

/** Whether a chunk is an error; some servers send its fields without the key `error`. */
function isFailure({ error, object, type }: Fields): boolean {
  return Boolean(error) || object === 'error' || type === 'error';
}

function choicesOf({ choices }: Fields): readonly Fields[] {
  return itemsOf(choices).filter(isFields);
}

function indexOf({ index }: Fields): number {
  return placeOf(index) ?? 0;
}

/** Some servers repeat the finish reason; `stop` does not replace one that says more, such as `length`. */
function finishReasonOf(choices: readonly Fields[]): string | undefined {
  const reasons = choices.flatMap(({ finish_reason: reason }) => stringOf(reason) || []);
  return reasons.find((reason) => reason !== 'stop') ?? reasons[0];
}

/** Whether text follows a finish reason. */
function isEarly(choices: readonly Fields[]): boolean {
  const first = choices.findIndex(({ finish_reason: reason }) => stringOf(reason));
  return choices.slice(first + 1).some(({ message, delta }) => fieldsOf(message ?? delta).content);
}

/** Whether a message that a chunk holds in place of a delta is all of the answer so far, not a piece of it. */
function isAllOf({ content }: Fields, before: Fields | undefined): boolean {
  return before !== undefined && (stringOf(content) ?? '').startsWith(stringOf(before.content) ?? '');
}

function addDelta(message: Fields = { role: 'assistant', content: null }, delta: Fields): Fields {
  const sum: Record<string, unknown> = { ...message };
  for (const [key, value] of Object.entries(delta)) {
    const before = sum[key];
    if (key === 'tool_calls')
      sum[key] = itemsOf(value).filter(isFields).reduce(addPiece, itemsOf(before).filter(isFields));
    else if (Array.isArray(value) && Array.isArray(before)) sum[key] = [...before, ...value];
    else if (JOINED.has(key) && typeof before === 'string' && typeof value === 'string') sum[key] = before + value;
    else if (value !== null || before === undefined) sum[key] = value;
  }
  return sum;
}

/** The tool calls so far with a piece of one: of the call at its position, or of the last one. */
function addPiece(calls: readonly Fields[], piece: Fields): readonly Fields[] {
  const at = positionOf(piece, calls);
  const call = calls[at];
  if (!call || beginsCall(piece, call)) return [...calls, piece];
  return calls.with(at, joinedCall(call, piece));
}

function positionOf({ index, id }: Fields, calls: readonly Fields[]): number {
  const at = placeOf(index);
  if (at !== undefined) return calls.findLastIndex((call) => placeOf(call.index) === at);
  return id ? calls.findIndex((call) => call.id === id) : calls.length - 1;
}

/** A position as a number; some servers write it as text, or null for none. */
function placeOf(index: unknown): number | undefined {
  return typeof index === 'number' || typeof index === 'string' ? Number(index) : undefined;
}

/**
 * Whether a piece with a name begins a call of its own: some servers give all calls one position or none. It does if the call
 * before it is complete, or if that has arguments and another name. An id alone tells nothing, as some servers make one
 * for each piece.
 */
function beginsCall({ id, function: called }: Fields, call: Fields): boolean {
  const { name } = fieldsOf(called);
  const { name: known, arguments: text } = fieldsOf(call.function);
  if (!name || !known) return false;
  const isSame = Boolean(id) && id === call.id;
  if (!text) return Boolean(id) && Boolean(call.id) && !isSame;
  return !isSame && (name !== known || isComplete(text));
}

function isComplete(text: unknown): boolean {
  return typeof text !== 'string' || tryParse(text, JSON.parse) !== undefined;
}

function joinedCall(call: Fields, piece: Fields): Fields {
  const known = fieldsOf(call.function);
  const more = fieldsOf(piece.function);
  const given = Object.entries(piece).filter(([, value]) => value !== null && value !== '');
  const name = nameOf(stringOf(known.name) ?? '', stringOf(more.name) ?? '');
  const pieces = [known.arguments, more.arguments];
  const text = pieces.find(isFields) ?? pieces.filter((part) => typeof part === 'string').join('');
  const id = call.id || piece.id;
  return { ...call, ...Object.fromEntries(given), id, function: { ...known, ...more, name, arguments: text } };
}

/** A name comes once, again with each piece, in pieces, or longer each time. */
function nameOf(known: string, more: string): string {
  if (known === '' || more.startsWith(known)) return more || known;
  return more === '' || known === more ? known : known + more;
}

/** The calls in the order of their positions, which belong to streams alone. */
function withoutPositions({ tool_calls: calls, ...message }: Fields): Fields {
  if (calls === undefined) return message;
  const inOrder = itemsOf(calls)
    .map(fieldsOf)
    .toSorted((one, other) => (placeOf(one.index) ?? 0) - (placeOf(other.index) ?? 0));
  return { ...message, tool_calls: inOrder.map((call) => ({ ...call, index: undefined })) };
}
