import { fieldsOf, itemsOf, messageOf, stringOf, tryParse } from '@data-designer/core';
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

/** Reads the answer of a model in the form of its protocol; results of tools, other outcomes, and refusals are their text. */
export async function readAnswer(
  record: Pick<JournalRecord, 'path' | 'body' | 'row' | 'column' | 'call'>,
): Promise<ReadAnswer> {
  const plain = { text: record.body, reasoning: null, toolCalls: [], outputTokens: null, finishReason: null };
  const protocol = protocolOfPath(record.path);
  if (!protocol) return { ...plain, text: resultText(record.body) };
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

/** The texts of a tool's result; the body where it has none. */
function resultText(body: string): string {
  const parts = itemsOf(fieldsOf(tryParse(body, JSON.parse)).content);
  const texts = parts.flatMap((part) => stringOf(fieldsOf(part)['text']) ?? []);
  return texts.length > 0 ? texts.join('\n') : body;
}

/** The scores in the answer of a judge, as the table shows them; the answer where it has none. */
export function scoresText(answer: string): string {
  const json = answer.replaceAll(/^\s*```(?:json)?\s*|\s*```\s*$/g, '');
  const scores = Object.entries(fieldsOf(tryParse(json, JSON.parse))).map(([name, judged]) => {
    const { score } = fieldsOf(judged);
    return typeof score === 'string' || typeof score === 'number' ? `${name} ${score}` : undefined;
  });
  return scores.length === 0 || scores.includes(undefined) ? answer : scores.join(', ');
}
