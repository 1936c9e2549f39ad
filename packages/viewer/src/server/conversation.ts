// The pages of a static copy use this module too: it must not import what needs Node.
import { fieldsOf } from '@data-designer/core/json-fields';
import type { Cell } from '../api/cells.ts';
import { cutCell, cutText, IN_PAGE } from './cut-cell.ts';

/** The characters of the last message in a cell. */
const LAST_CHARACTERS = 200;

/** A conversation as a cell of a page: its size and its last text. */
export function conversationCell(value: unknown): Cell {
  if (!Array.isArray(value)) return cutCell(value, IN_PAGE);
  const messages: readonly unknown[] = value;
  let toolCalls = 0;
  for (const message of messages) {
    const { tool_calls: calls } = fieldsOf(message);
    if (Array.isArray(calls)) toolCalls += calls.length;
  }
  const { content } = fieldsOf(messages.at(-1));
  const last = typeof content === 'string' ? cutText(content, LAST_CHARACTERS) : '';
  return { as: 'conversation', messages: messages.length, toolCalls, last };
}
