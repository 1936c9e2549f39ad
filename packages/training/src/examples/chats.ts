import { chatColumns } from '@data-designer/dataset';
import type { FindExamples, SourceOptions } from './find-examples.ts';
import type { TrainingSource } from './training-source.ts';
import { messagesOf } from './read-messages.ts';

/** Why a conversation is no example. */
export const NO_ANSWER = 'no answer at the end';

/** The conversations of a row: those of one column, or of all columns with complete conversations. */
export async function findChats(
  { folder: path, plan, tools }: TrainingSource,
  { column: name, corrections }: SourceOptions,
): Promise<FindExamples<'chat'>> {
  const columns = await chatColumns({ path, plan, tools }, name);
  return (values) =>
    columns.map((column) => {
      const messages = messagesOf(values, column, { corrections });
      return messages ? { messages, tools: column.tools } : { missing: NO_ANSWER };
    });
}
