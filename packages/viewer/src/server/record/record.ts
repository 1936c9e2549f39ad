import type { RequestOf } from '../../api/requests.ts';
import { fieldsOf, isFailure, type Plan, type Row, stringifyJson } from '@data-designer/core';
import { DatasetRows, sideFolders } from '@data-designer/dataset';
import { rowHash } from '@data-designer/dataset/reviews';
import type { TextPage, TracePage } from '../../api/conversation.ts';
import type { RecordAnswer } from '../../api/record.ts';
import { columnInfos } from '../column-infos.ts';
import type { ShownDataset } from '../shown-dataset.ts';
import { mediaIn, mediaKinds, mediaOfPart } from './media.ts';
import { contentOf, type MessageContext, pricesOf, tracePage } from './messages.ts';
import { modelAnswers, ownConversations } from './model-answers.ts';
import { planRowsOf } from './plan-rows.ts';
import { attemptsAt } from './recorded-attempts.ts';
import { recordedStates } from './recorded-states.ts';
import { FIRST_MESSAGES, recordFields } from './record-fields.ts';

/** A record as its sections, with its neighbours within the filter. Throws a failure with the status 404 without a row. */
export async function recordOf(
  dataset: ShownDataset,
  request: RequestOf<'record'>,
  signal: AbortSignal,
): Promise<RecordAnswer> {
  const { index, filter = {} } = request;
  const { plan, columns } = await dataset.plan();
  const list = await dataset.queries.rowList(filter, signal);
  const row = await dataset.row(index);
  const place = { dataset: dataset.entry.id, index };
  const kinds = mediaKinds(plan, columns);
  const position = list.placeOf(index);
  const known = (await planRowsOf(dataset)).at(index);
  const [dropped] = plan.dropped ? await sideRows(dataset, null, [index]) : [];
  const [processed = []] = await processedAt(dataset, [index]);
  const answers = await modelAnswers(dataset, {
    row: { ...dropped, ...row },
    ...known,
    contextOf: (trace) => messageContext(dataset, plan.models, { index, column: trace }),
  });
  const own = new Set(ownConversations(columns, { plan, answers }).map(({ name }) => name));
  return {
    version: list.version,
    index,
    position,
    total: list.total,
    previous: position === null ? null : (list.at(position - 1) ?? null),
    next: position === null ? null : (list.at(position + 1) ?? null),
    row: known.planRow,
    hash: isLarge(row) ? null : rowHash(row),
    review: await dataset.reviews.of(index, row),
    failures: known.planRow === null ? [] : await failuresOf(dataset, known.planRow),
    fields: recordFields(columns, row, {
      mediaOf: (column, value) => mediaIn(value, kinds.get(column), { ...place, column }),
      conversationOf: (column, messages) => {
        if (!own.has(column)) return undefined;
        const context = messageContext(dataset, plan.models, { index, column });
        return tracePage(column, messages, { ...context, from: 0, count: FIRST_MESSAGES });
      },
    }),
    answers,
    attempts: await attemptsAt(dataset, { row, ...known }),
    states: await recordedStates(plan, { row: { ...dropped, ...row }, planRow: known.planRow, byCall: true }),
    processed,
  };
}

/** The failed cells of a row that was kept. */
async function failuresOf({ failures }: ShownDataset, planRow: number): Promise<RecordAnswer['failures']> {
  await failures.refresh();
  const { cells } = await failures.page({ row: planRow }, 0, MAX_FAILURES);
  return cells.map(({ row, column, code, message }) => ({ row, column, code, message }));
}

const MAX_FAILURES = 100;

/** Further messages of a conversation. */
export async function traceOf(
  dataset: ShownDataset,
  { index, column, from, count }: RequestOf<'trace'>,
): Promise<TracePage> {
  const { plan } = await dataset.plan();
  await dataset.column(column);
  const value = (await dataset.row(index))[column];
  const context = messageContext(dataset, plan.models, { index, column });
  return tracePage(column, Array.isArray(value) ? value : [], { ...context, from, count });
}

/** A part of a long text: of a cell, or of a message of a conversation. */
export async function textOf(dataset: ShownDataset, request: RequestOf<'text'>): Promise<TextPage> {
  const { index, column, message, part = 'content', from, count } = request;
  await dataset.column(column);
  const value = (await dataset.row(index))[column];
  const text =
    message === undefined ? cellText(value) : messageText(Array.isArray(value) ? value[message] : null, part);
  return { text: text.slice(from, from + count), from, length: text.length };
}

function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  return stringifyJson(value ?? null, 2);
}

function messageText(message: unknown, part: NonNullable<RequestOf<'text'>['part']>): string {
  const { reasoning_content: reasoning, tool_calls: calls, ...rest } = fieldsOf(message);
  if (part === 'reasoning') return typeof reasoning === 'string' ? reasoning : '';
  if (part === 'content') return contentOf(rest) ?? '';
  const asked = fieldsOf(fieldsOf(Array.isArray(calls) ? calls[part] : null)['function']);
  return typeof asked['arguments'] === 'string' ? asked['arguments'] : '';
}

/** The hash of a larger row takes longer than the rest of its record. */
const HASHED_CHARACTERS = 5_000_000;

/** Whether the texts of a row are too long to be hashed for every reader. */
function isLarge(row: Row): boolean {
  let left = HASHED_CHARACTERS;
  const take = (value: unknown): void => {
    if (typeof value === 'string') left -= value.length;
    else if (typeof value === 'object' && value !== null && left > 0)
      for (const part of Object.values(value)) take(part);
  };
  take(row);
  return left <= 0;
}

function messageContext(
  dataset: ShownDataset,
  models: Plan['models'],
  { index, column }: { readonly index: number; readonly column: string },
): MessageContext {
  return {
    priceOf: pricesOf(models),
    mediaOf: (part, at) => mediaOfPart(part, { dataset: dataset.entry.id, index, column, ...at }),
  };
}

/** The outputs of processors for each of some rows; none where their files do not match the table. */
export async function processedAt(
  dataset: ShownDataset,
  indexes: readonly number[],
): Promise<readonly RecordAnswer['processed'][]> {
  const { plan } = await dataset.plan();
  const outputs: { processor: string; fields: RecordAnswer['fields'] }[][] = indexes.map(() => []);
  for (const { config, sideTable } of plan.processors) {
    if (!sideTable) continue;
    const columns = columnInfos({ columns: [], fields: sideTable.fields }, dataset.registry);
    for (const [at, row] of (await sideRows(dataset, config.name, indexes)).entries()) {
      if (row) outputs[at]?.push({ processor: config.name, fields: recordFields(columns, row) });
    }
  }
  return outputs;
}

/** Rows of a side table, whose files have the rows of the main table. */
export async function sideRows(
  { paths, monitor }: ShownDataset,
  processor: string | null,
  indexes: readonly number[],
): Promise<readonly (Row | undefined)[]> {
  const rows = new DatasetRows(paths.folder, sideFolders(paths, { processor }));
  try {
    await rows.refresh();
    return await rows.at(indexes);
  } catch (thrown) {
    // A run is still writing it.
    if ((await monitor.figures()).state === 'running' || !isFailure(thrown, 'dataset/damaged')) return [];
    throw thrown;
  }
}
