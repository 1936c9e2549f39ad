import { type Fields, fieldsOf, isFields, itemsOf } from '@data-designer/core';

/** Fields of a chunk's message whose pieces are joined; of any other text the last one counts. */
const JOINED: ReadonlySet<string> = new Set(['content', 'reasoning', 'reasoning_content', 'refusal']);

/** The completion in the chunks of a stream; undefined where the stream ends before its first choice does. */
export function joinChunks(chunks: readonly Fields[], isEnded: boolean): Fields | undefined {
  const failed = chunks.find(({ error }) => error);
  const usage = chunks.findLast((chunk) => isFields(chunk.usage))?.usage;
  const paid = usage === undefined ? {} : { usage };
  if (failed) return { error: failed.error, ...paid };
  let message: Fields | undefined;
  let finishReason: unknown = null;
  for (const choice of chunks.flatMap(firstChoices)) {
    const delta = isFields(choice.message) ? choice.message : choice.delta;
    if (isFields(delta)) message = addDelta(message, delta);
    finishReason = choice.finish_reason ?? finishReason;
  }
  if (!isEnded && finishReason === null) return undefined;
  const choices = message ? [{ index: 0, message: withoutPositions(message), finish_reason: finishReason }] : [];
  return { ...chunks[0], object: 'chat.completion', choices, ...paid };
}

function firstChoices({ choices }: Fields): readonly Fields[] {
  return itemsOf(choices)
    .filter(isFields)
    .filter(({ index = 0 }) => index === 0);
}

function addDelta(message: Fields = { role: 'assistant', content: null }, delta: Fields): Fields {
  const sum: Record<string, unknown> = { ...message };
  for (const [key, value] of Object.entries(delta)) {
    const before = sum[key];
    if (key === 'tool_calls') sum[key] = addCalls(itemsOf(before), itemsOf(value));
    else if (Array.isArray(value) && Array.isArray(before)) sum[key] = [...before, ...value];
    else if (JOINED.has(key) && typeof before === 'string' && typeof value === 'string') sum[key] = before + value;
    else if (value !== null || before === undefined) sum[key] = value;
  }
  return sum;
}

/** Adds pieces of tool calls to the calls so far. A piece without a position begins a call if it has an id of its own. */
function addCalls(before: readonly unknown[], pieces: readonly unknown[]): readonly Fields[] {
  const calls = before.filter(isFields);
  for (const piece of pieces.filter(isFields)) {
    const at = positionOf(piece, calls);
    const call = calls[at];
    if (call) calls[at] = addPiece(call, piece);
    else calls.push(piece);
  }
  return calls;
}

function positionOf({ index, id }: Fields, calls: readonly Fields[]): number {
  if (index !== undefined) return calls.findIndex((call) => call.index === index);
  return id ? calls.findIndex((call) => call.id === id) : calls.length - 1;
}

function addPiece(call: Fields, piece: Fields): Fields {
  const known = fieldsOf(call.function);
  const more = fieldsOf(piece.function);
  const given = Object.entries(piece).filter(([, value]) => value !== null && value !== '');
  const text = [known.arguments, more.arguments].filter((part) => typeof part === 'string').join('');
  const name = more.name ? more.name : known.name;
  return { ...call, ...Object.fromEntries(given), function: { ...known, ...more, name, arguments: text } };
}

/** Positions of tool calls belong to streams alone. */
function withoutPositions({ tool_calls: calls, ...message }: Fields): Fields {
  if (calls === undefined) return message;
  return { ...message, tool_calls: itemsOf(calls).map((call) => ({ ...fieldsOf(call), index: undefined })) };
}
