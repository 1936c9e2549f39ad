import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ContentPart,
  DataDesignerError,
  fieldsOf,
  fileReason,
  isFields,
  stringifyJson,
  tryParse,
} from '@data-designer/core';
import { countTextTokens } from '@data-designer/profile';
import type { MessageLists } from '../express.ts';
import type { ExampleKind, Examples, TrainingMessage } from '../training-format.ts';

/** The tokenizer that needs no file: that of OpenAI's models since GPT-4o. */
export const BUILT_IN = 'o200k';

/** Counts the tokens of a text. */
type CountText = (text: string) => number;

/** Counts the tokens of an example. */
export type CountExample = (example: Examples[ExampleKind]) => number;

/**
 * Opens a tokenizer: `o200k`, or a `tokenizer.json` of Hugging Face, or the folder of one. Tokens are those of the texts:
 * contents, reasoning, calls and tools; the tokens of a chat template between them are not counted. Of a pair, the longer
 * continuation counts. Throws `dataset/no-tokenizer`.
 */
export async function openCounter(tokenizer: string): Promise<CountExample> {
  const count =
    tokenizer === BUILT_IN ? (text: string) => countTextTokens(text, 'o200k_base') : await openFile(tokenizer);
  const ofMessages = (messages: readonly TrainingMessage[]): number =>
    messages.reduce((sum, message) => sum + tokensIn(message, count), 0);
  const ofTools = new WeakMap<object, number>();
  return (example) => {
    const { tools } = example;
    const known = ofTools.get(tools) ?? tools.reduce((sum, tool) => sum + count(stringifyJson(tool.function)), 0);
    ofTools.set(tools, known);
    const { messages = [], prompt = [], chosen = [], rejected = [] } = example as MessageLists;
    return known + ofMessages(messages) + ofMessages(prompt) + Math.max(ofMessages(chosen), ofMessages(rejected));
  };
}

function tokensIn(
  { content, reasoning_content: reasoning = '', tool_calls: calls = [] }: TrainingMessage,
  count: CountText,
): number {
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const texts = [
    ...parts.map(({ text = '' }) => text),
    reasoning,
    ...calls.map((call) => stringifyJson(call.function)),
  ];
  return texts.reduce((sum, text) => sum + (text === '' ? 0 : count(text)), 0);
}

async function openFile(path: string): Promise<CountText> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    const file = isFolder ? join(path, 'tokenizer.json') : path;
    const tokenizer: unknown = tryParse(await readFile(file, 'utf8'), JSON.parse);
    const { model } = fieldsOf(tokenizer);
    if (!isFields(model)) throw noTokenizer(path, 'it is not a tokenizer.json of Hugging Face');
    const { Tokenizer } = await import('@huggingface/tokenizers');
    const known = new Tokenizer(tokenizer, {});
    return (text) => known.encode(text, { add_special_tokens: false }).ids.length;
  } catch (thrown) {
    if (thrown instanceof DataDesignerError) throw thrown;
    throw noTokenizer(path, fileReason(thrown, 'file'));
  }
}

function noTokenizer(path: string, reason: string): DataDesignerError {
  return new DataDesignerError('dataset/no-tokenizer', { path, reason });
}
