import {
  type CellValue,
  type ChatColumn,
  DataDesignerError,
  isFields,
  type Row,
  stringifyJson,
} from '@data-designer/core';
import { chatColumns } from '@data-designer/dataset';
import { DatasetReviews } from '@data-designer/dataset/reviews';
import type { PairExample, TrainingMessage } from '../training-format.ts';
import { NO_ANSWER } from './chats.ts';
import type { FindExamples, Found, SourceOptions } from './find-examples.ts';
import type { TrainingSource } from './training-source.ts';
import { messagesOf, textOf } from './read-messages.ts';

/** Why a pair is no example. */
export const EQUAL = 'two equal answers';

/** A block of attempts with pairs, and a column of it that stores its conversations. */
interface PairColumn extends ChatColumn {
  readonly block: string;
}

/**
 * The pairs of a row: of blocks of attempts with `keep: { pair }`; of the edits of reviews where the format says so or there
 * is no such block.
 */
export async function findPairs(source: TrainingSource, options: SourceOptions): Promise<FindExamples<'pair'>> {
  const blocks = (source.plan.attempts ?? []).filter(({ keep }) => keep === 'pair');
  return options.pairsOf === 'edits' || blocks.length === 0
    ? findEdits(source, options)
    : findAttempts(source, { ...options, blocks });
}

interface AttemptOptions extends SourceOptions {
  readonly blocks: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

async function findAttempts(
  { folder: path, plan, tools }: TrainingSource,
  { column: wanted, corrections, blocks }: AttemptOptions,
): Promise<FindExamples<'pair'>> {
  const inBlocks = blocks.flatMap(({ name: block, columns }) => columns.map((column) => ({ block, column })));
  const traced = new Set(plan.columns.flatMap(({ name, chats = [] }) => (chats.length > 0 ? [name] : [])));
  const used = inBlocks.filter(({ column }) => traced.has(column) && (wanted === undefined || column === wanted));
  const [first] = blocks;
  if (used.length === 0) {
    const names = wanted === undefined ? 'no column' : `no column '${wanted}'`;
    const reason = `${names} of the attempts '${first?.name}' stores its complete conversations (with_trace: all_messages)`;
    const example = `${first?.name}__chosen.${inBlocks[0]?.column}`;
    const remedy = `Name the columns instead: --map prompt=COLUMN,chosen=${example},rejected=${example.replace('__chosen', '__rejected')}.`;
    throw new DataDesignerError('dataset/no-chats', { path, reason, remedy });
  }
  const found = await Promise.all(
    used.map(async ({ block, column }) => {
      const columns = await chatColumns({ path, plan, tools }, column);
      return columns.map((chat): PairColumn => ({ ...chat, block }));
    }),
  );
  return (values) => found.flat().map((column) => attemptPair(values, column, corrections));
}

function attemptPair(values: Row, column: PairColumn, corrections = false): Found<'pair'> {
  const [chosen, rejected] = (['chosen', 'rejected'] as const).map((side) => {
    const attempt = values[`${column.block}__${side}`];
    return isFields(attempt) ? messagesOf({ ...values, ...attempt }, column, { corrections }) : undefined;
  });
  if (!chosen || !rejected) return { missing: NO_ANSWER };
  return pairOf(chosen, rejected, column.tools);
}

/** Two conversations as a pair: the messages that both begin with are the prompt. */
function pairOf(
  chosen: readonly TrainingMessage[],
  rejected: readonly TrainingMessage[],
  tools: PairExample['tools'],
): Found<'pair'> {
  const isSame = (index: number): boolean => keyOf(chosen[index]) === keyOf(rejected[index]);
  let shared = 0;
  while (shared < Math.min(chosen.length, rejected.length) && isSame(shared)) shared++;
  if (shared === chosen.length && shared === rejected.length) return { missing: EQUAL };
  // Both continuations begin with an answer.
  while (shared > 0 && (chosen[shared]?.role !== 'assistant' || rejected[shared]?.role !== 'assistant')) shared--;
  const prompt = chosen.slice(0, shared);
  if (!prompt.some(({ role }) => role === 'user')) return { missing: 'no message that both begin with' };
  return { prompt, chosen: chosen.slice(shared), rejected: rejected.slice(shared), tools };
}

/** A message by what a model reads of it: identifiers of calls differ between attempts. */
function keyOf(message: TrainingMessage | undefined): string {
  const { model: _, usage: __, reasoning_content: ___, ...read } = message ?? {};
  return stringifyJson(read);
}

/** The edited answers of reviews as `chosen`, and the model's as `rejected`. Stale and rejected edits make no pair. */
async function findEdits(
  { folder: path, plan, tools }: TrainingSource,
  { column: name, corrections }: SourceOptions,
): Promise<FindExamples<'pair'>> {
  const columns = await chatColumns({ path, plan, tools }, name);
  const reviews = await DatasetReviews.open(path);
  return (values, row) => {
    const { edits = null, verdict = null, isStale = true } = reviews.of(values, row) ?? {};
    if (edits === null || isStale || verdict === 'reject') return [];
    return columns.flatMap((column) => {
      const edited = edits[column.name];
      const messages = edited === undefined ? undefined : messagesOf(values, column, { corrections });
      if (!messages || edited === undefined) return [];
      return [editPair(messages, { edited, tools: column.tools })];
    });
  };
}

function editPair(
  messages: readonly TrainingMessage[],
  { edited, tools }: { readonly edited: CellValue; readonly tools: PairExample['tools'] },
): PairExample {
  const chosen = { role: 'assistant', content: textOf(edited) } as const;
  return { prompt: messages.slice(0, -1), chosen: [chosen], rejected: messages.slice(-1), tools };
}
