// The pages of a static copy use this module too: it must not import what needs Node.
import { fieldsOf } from '@data-designer/core/json-fields';
import type { Cell } from '../api/cells.ts';
import type { ColumnInfo } from '../api/columns.ts';
import { type cellTexts, foldCase, searchedColumns } from '../cell-texts.ts';
import { cutCell, cutText, IN_PAGE, memberOf } from './cut-cell.ts';

/** The characters of the last message in a cell. */
const LAST_CHARACTERS = 200;

/** The cell of a column, or of the member that it is, in a page of rows. */
export function pageCell({ name, member, shown }: ColumnInfo, row: Readonly<Record<string, unknown>>): Cell {
  if (member) return cutCell(memberOf(row[member.column], member.path), IN_PAGE);
  return shown === 'conversation' ? conversationCell(row[name]) : cutCell(row[name], IN_PAGE);
}

/** The columns of a row in which a search finds its text. */
export function hitsIn(
  row: Readonly<Record<string, unknown>>,
  search: string,
  { columns, texts }: { readonly columns: readonly ColumnInfo[]; readonly texts: ReturnType<typeof cellTexts> },
): readonly string[] {
  const wanted = foldCase(search);
  return searchedColumns(columns, search).flatMap(({ name }) => {
    const value = row[name];
    if (value === null || value === undefined) return [];
    return foldCase((texts.get(name) ?? String)(value)).includes(wanted) ? name : [];
  });
}

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
