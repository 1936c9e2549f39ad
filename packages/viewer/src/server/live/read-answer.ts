import { fieldsOf, messageOf } from '@data-designer/core';
import type { JournalRecord } from '@data-designer/dataset/journal';
import { protocolOfPath, readTokens } from '@data-designer/models/protocols';

/** An answer of a model as the journal holds it. */
export interface ReadAnswer {
  readonly text: string;
  readonly reasoning: string | null;
  readonly toolCalls: readonly string[];
  readonly outputTokens: number | null;
  readonly finishReason: string | null;
}

/** Reads the answer of a model in the form of its protocol; other outcomes, and refusals, are their text. */
export async function readAnswer(
  record: Pick<JournalRecord, 'path' | 'body' | 'row' | 'column' | 'call'>,
): Promise<ReadAnswer> {
  const plain = { text: record.body, reasoning: null, toolCalls: [], outputTokens: null, finishReason: null };
  const protocol = protocolOfPath(record.path);
  if (!protocol) return plain;
  try {
    const requests = await protocol.loadRequests();
    const parsed = requests.parseBody(record.body);
    const { read } = requests.chat({ model: '', parameters: {}, messages: [], timeoutMs: 1 });
    const { message, finishReason } = read(parsed, record);
    const { content, reasoning_content: reasoning, tool_calls: calls = [] } = message;
    const parts = Array.isArray(content) ? content.map(({ text = '' }) => text).join('\n') : content;
    return {
      text: typeof parts === 'string' ? parts : '',
      reasoning: reasoning ?? null,
      toolCalls: calls.map(({ function: asked }) => asked.name),
      outputTokens: readTokens(fieldsOf(parsed).usage).output,
      finishReason,
    };
  } catch (thrown) {
    // Vectors and pictures are no chats.
    return { ...plain, text: protocol.paths[record.path] ? record.body : messageOf(thrown) };
  }
}
