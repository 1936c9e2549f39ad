import { DataDesignerError, stringifyJson, type TraceMessage } from '@data-designer/core';
import { writeText } from '../export/export-rows.ts';
import { readRunRecord } from '../run-record.ts';
import { readDataset } from '../read-dataset.ts';
import { datasetPaths } from '../dataset-paths.ts';
import { chatColumns, type ChatSource } from './chat-columns.ts';
import { type ChatOptions, toChat } from './to-chat.ts';

/** Which conversations are exported, and what of them. */
export interface ExportChatsOptions extends ChatOptions {
  /** The column whose conversations they are; all that keep theirs unless given. */
  readonly column?: string | undefined;
}

/** What was exported: a line for each conversation, and those without an answer at their end. */
interface ExportedChats {
  readonly chats: number;
  readonly leftOut: number;
}

/**
 * Writes the conversations of a dataset to a file, one a line, as OpenAI's fine-tuning and most trainers take them. The
 * file is there in full or not at all. Throws `dataset/*`, `dataset/no-chats` among them.
 */
export async function exportChats(
  folder: string,
  path: string,
  options: ExportChatsOptions = {},
): Promise<ExportedChats> {
  const counts = { chats: 0, leftOut: 0 };
  await writeText(chatLines(folder, options, counts), path);
  return counts;
}

/** The chats of a dataset as lines; told at the end where there was none. */
export async function* chatLines(
  folder: string,
  options: ExportChatsOptions = {},
  counts: { chats: number; leftOut: number } = { chats: 0, leftOut: 0 },
): AsyncGenerator<string> {
  const columns = await chatColumns(await readChatSource(folder), options.column);
  for await (const record of readDataset(folder)) {
    for (const { trace, tools, isRecorded = false } of columns) {
      const messages = record[trace] as unknown as readonly TraceMessage[] | null;
      const chat = toChat(messages, tools, isRecorded ? { ...options, corrections: true } : options);
      counts[chat ? 'chats' : 'leftOut']++;
      if (chat) yield `${stringifyJson(chat)}\n`;
    }
  }
  if (counts.chats > 0) return;
  const reason = `none of its ${counts.leftOut} conversations ends with an answer`;
  throw new DataDesignerError('dataset/no-chats', { path: folder, reason });
}

async function readChatSource(folder: string): Promise<ChatSource> {
  const paths = datasetPaths(folder);
  const record = await readRunRecord(paths);
  return { path: folder, plan: record.plan, tools: record.tools };
}
