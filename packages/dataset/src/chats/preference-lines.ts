import { type CellValue, DataDesignerError, stringifyJson, type Message } from '@data-designer/core';
import { chatColumns, readChatSource } from './chat-columns.ts';
import { chatOf, type ExportChatsOptions } from './export-chats.ts';
import { readDataset } from '../read-dataset.ts';
import { DatasetReviews } from '../reviews/dataset-reviews.ts';

/**
 * The edited answers of a dataset as preference pairs, one JSON object per line: the conversation up to the answer as `prompt`, the
 * edited answer as `chosen` and the model's as `rejected`. Stale and rejected edits are left out. Throws `dataset/no-chats`
 * if no column stores its conversations, and at the end if there was no pair.
 */
export async function* preferenceLines(folder: string, options: ExportChatsOptions = {}): AsyncGenerator<string> {
  const columns = await chatColumns(await readChatSource(folder, options.plan), options.column);
  const reviews = await DatasetReviews.open(folder);
  let [position, pairs] = [0, 0];
  for await (const row of readDataset(folder)) {
    const { edits = null, verdict = null, isStale = true } = reviews.of(row, position++) ?? {};
    if (edits === null || isStale || verdict === 'reject') continue;
    for (const column of columns) {
      const edited = edits[column.name];
      const chat = edited === undefined ? undefined : chatOf(row, column, options);
      if (!chat || edited === undefined) continue;
      pairs++;
      const { messages: said, ...rest } = chat;
      const pair = { prompt: said.slice(0, -1), chosen: [answer(edited)], rejected: said.slice(-1), ...rest };
      yield `${stringifyJson(pair)}\n`;
    }
  }
  if (pairs > 0) return;
  throw new DataDesignerError('dataset/no-chats', {
    path: folder,
    reason: 'no review edits the answer of a column that stores its complete conversations',
    remedy: 'Edit answers in data-designer view.',
  });
}

function answer(edited: CellValue): Pick<Message, 'role' | 'content'> {
  return { role: 'assistant', content: typeof edited === 'string' ? edited : stringifyJson(edited) };
}
