import { type Fields, fieldsOf, isFields, itemsOf, parseVerbatim, tryParse } from '@data-designer/core';

/** The key under which the text of an input is collected. */
const INPUT_TEXT = 'input_text';
/** The field of a block to which a field of a delta adds, where the names differ. */
const NAMES: Readonly<Record<string, string>> = { partial_json: INPUT_TEXT };

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

/** A block with the pieces of a delta of any type: texts are joined, a citation is one of a list, and others are set. */
function addDelta(block: Fields, { type: _, citation, ...pieces }: Fields): Fields {
  const added: Record<string, unknown> = { ...block };
  for (const [name, piece] of Object.entries(pieces)) {
    const key = NAMES[name] ?? name;
    const before = added[key];
    added[key] = typeof before === 'string' && typeof piece === 'string' ? before + piece : piece;
  }
  return citation === undefined ? added : { ...added, citations: [...itemsOf(block.citations), citation] };
}

/** The input of a tool call comes as JSON text; text that is none stays text. */
function withInput({ [INPUT_TEXT]: text, ...block }: Fields): Fields {
  if (typeof text !== 'string' || text === '') return block;
  return { ...block, input: tryParse(text, parseVerbatim) ?? text };
}
