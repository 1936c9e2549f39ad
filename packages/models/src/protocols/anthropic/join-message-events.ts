import { type Fields, fieldsOf, isFields, stringOf, tryParse } from '@data-designer/core';

/** The key under which the text of an input is collected. */
const INPUT_TEXT = 'input_text';

/** The field of a block to which a delta of a type adds text, and the field of the delta that holds it. */
const PIECES: Readonly<Record<string, readonly [block: string, delta: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
  input_json_delta: [INPUT_TEXT, 'partial_json'],
};

/** The message in the events of a stream; undefined where the stream ends before `message_stop`. */
export function joinMessageEvents(events: readonly Fields[]): Fields | undefined {
  const failed = events.find(({ type, error }) => type === 'error' || error);
  const starts = events.find(({ type }) => type === 'message_start');
  const start = fieldsOf(starts?.message);
  const ends = events.filter(({ type }) => type === 'message_delta');
  const usage = { ...fieldsOf(start.usage), ...fieldsOf(ends.findLast((end) => isFields(end.usage))?.usage) };
  if (failed) return { type: 'error', error: failed.error, usage };
  if (!starts || !events.some(({ type }) => type === 'message_stop')) return undefined;
  const ending = Object.assign({}, ...ends.map(({ delta }) => fieldsOf(delta))) as Fields;
  return { ...start, ...ending, content: blocksOf(events), usage };
}

function blocksOf(events: readonly Fields[]): readonly Fields[] {
  const blocks = new Map<unknown, Fields>();
  for (const { type, index, content_block: begun, delta } of events) {
    if (type === 'content_block_start') blocks.set(index, fieldsOf(begun));
    const block = blocks.get(index);
    if (type === 'content_block_delta' && block) blocks.set(index, addDelta(block, fieldsOf(delta)));
  }
  return [...blocks.values()].map(withInput);
}

function addDelta(block: Fields, delta: Fields): Fields {
  const [to, from] = PIECES[stringOf(delta.type) ?? ''] ?? [];
  if (to === undefined || from === undefined) return block;
  return { ...block, [to]: (stringOf(block[to]) ?? '') + (stringOf(delta[from]) ?? '') };
}

/** The input of a tool call comes as JSON text; text that is none stays text. */
function withInput({ [INPUT_TEXT]: text, ...block }: Fields): Fields {
  if (typeof text !== 'string' || text === '') return block;
  return { ...block, input: tryParse<unknown>(text, JSON.parse) ?? text };
}
