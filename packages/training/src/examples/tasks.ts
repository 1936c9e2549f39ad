import { findChats } from './chats.ts';
import type { FindExamples, SourceOptions } from './find-examples.ts';
import type { TrainingSource } from './training-source.ts';
import { textOf } from './read-messages.ts';

/** Conversations as tasks: the messages before the first answer are the prompt, and the last answer is expected. */
export async function findTasks(source: TrainingSource, options: SourceOptions): Promise<FindExamples<'task'>> {
  const chats = await findChats(source, options);
  return (values, row) =>
    chats(values, row).map((found) => {
      if ('missing' in found) return found;
      const { messages, tools } = found;
      const first = messages.findIndex(({ role }) => role === 'assistant');
      const { content = null } = messages.at(-1) ?? {};
      const answer = content === null ? null : textOf(content as string);
      return { prompt: messages.slice(0, first), tools, answer, info: {} };
    });
}
