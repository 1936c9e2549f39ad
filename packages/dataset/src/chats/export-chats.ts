import { DataDesignerError, type Plan, readHistory, stringifyJson } from '@data-designer/core';
import { writeText } from '../export/export-rows.ts';
import { DatasetReviews, type ReviewUse } from '../reviews/dataset-reviews.ts';
import { readDataset } from '../read-dataset.ts';
import { type ChatColumn, chatColumns, readChatSource } from './chat-columns.ts';
import { type Chat, type ChatOptions, toChat } from './to-chat.ts';

/** Options of an export of conversations. */
export interface ExportChatsOptions extends ChatOptions {
  /** The column of the conversations; all columns with complete traces unless given. */
  readonly column?: string | undefined;
  /** The rows whose conversations are exported, by their reviews; all unless given. */
  readonly use?: Omit<ReviewUse, 'applyEdits'>;
  /** The plan of the dataset; that of its `run.json` unless given. */
  readonly plan?: Plan | undefined;
}

/** The number of exported conversations, and of those left out because they do not end with an answer. */
export interface ExportedChats {
  chats: number;
  leftOut: number;
}

/** Exports conversations to a file, atomically, one per line in the format of OpenAI's fine-tuning; throws `dataset/*`. */
export async function exportChats(
  folder: string,
  path: string,
  options: ExportChatsOptions = {},
): Promise<ExportedChats> {
  const counts = { chats: 0, leftOut: 0 };
  await writeText(chatLines(folder, options, counts), path);
  return counts;
}

/** The conversations of a dataset as lines; throws `dataset/no-chats` at the end if there was none. */
export async function* chatLines(
  folder: string,
  options: ExportChatsOptions = {},
  counts: ExportedChats = { chats: 0, leftOut: 0 },
): AsyncGenerator<string> {
  const columns = await chatColumns(await readChatSource(folder, options.plan), options.column);
  const reviews = await DatasetReviews.open(folder, options.use);
  let position = 0;
  for await (const record of readDataset(folder)) {
    if (!reviews.apply(record, position++)) continue;
    for (const column of columns) {
      const chat = chatOf(record, column, options);
      counts[chat ? 'chats' : 'leftOut']++;
      if (chat) yield `${stringifyJson(chat)}\n`;
    }
  }
  if (counts.chats > 0) return;
  const reason = `none of its ${counts.leftOut} conversations ends with an answer`;
  throw new DataDesignerError('dataset/no-chats', { path: folder, reason });
}

/** The conversation of a column in a record; undefined for one that does not end with an answer. */
export function chatOf(
  record: Readonly<Record<string, unknown>>,
  { trace, tools, hasCorrections, history }: ChatColumn,
  options: ChatOptions,
): Chat | undefined {
  const messages = record[trace];
  const past = history === undefined ? [] : readHistory(record[history], { column: history, row: record });
  const corrections = !hasCorrections || options.corrections === true;
  return toChat(Array.isArray(messages) ? messages : null, { tools, history: past }, { ...options, corrections });
}
