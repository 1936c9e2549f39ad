import {
  attemptOfCall,
  fieldsOf,
  isFields,
  isMessages,
  type PlannedAttempts,
  type Row,
  toolCallOf,
} from '@data-designer/core';
import type { PlanRow } from '@data-designer/dataset';
import { folderJournal, type JournalRecord } from '@data-designer/dataset/journal';
import type { ColumnInfo } from '../../api/columns.ts';
import type { RecordedAttempt, RecordedAttempts, RecordField } from '../../api/record.ts';
import { readAnswer } from '../live/read-answer.ts';
import type { ShownDataset } from '../shown-dataset.ts';
import { type MessageContext, tracePage } from './messages.ts';
import { recordFields } from './record-fields.ts';

/** The attempts at a row: those that the row has, or the answers to them in the journal of an unfinished row group. */
export async function attemptsAt(
  dataset: ShownDataset,
  { row, planRow, group }: PlanRow & { readonly row: Row },
): Promise<readonly RecordedAttempts[]> {
  const { plan, columns } = await dataset.plan();
  const { attempts: blocks = [] } = plan;
  if (blocks.length === 0) return [];
  const stored = new Map(storedAttempts(blocks, row, columns).map((one) => [one.block, one]));
  const answers = await answersIn(dataset, { planRow, group });
  const recorded: RecordedAttempts[] = [];
  for (const block of blocks) {
    const known = stored.get(block.name);
    const attempts = known?.attempts ?? (await journaledAttempts(block, answers));
    if (attempts.length > 0) recorded.push(known ?? { block: block.name, isStored: false, fields: [], attempts });
  }
  return recorded;
}

/** The attempts that a row has: all of a block, or a pair. Conversations of columns that are not listed are left out. */
export function storedAttempts(
  blocks: readonly Pick<PlannedAttempts, 'name' | 'keep'>[],
  row: Readonly<Record<string, unknown>>,
  columns: readonly ColumnInfo[],
): readonly RecordedAttempts[] {
  return blocks.flatMap(({ name, keep }): RecordedAttempts[] => {
    const all = keep === 'all' ? row[`${name}__all`] : undefined;
    const made = Array.isArray(all)
      ? all.map((values: unknown, at) => ({ title: `Attempt ${at + 1}`, field: `${name}__all`, values }))
      : PAIR.map(([part, title]) => ({ title, field: `${name}__${part}`, values: row[`${name}__${part}`] }));
    const stored = made.filter(({ values }) => isFields(values));
    if (stored.length === 0) return [];
    const fields = [...new Set(stored.map(({ field }) => field))];
    const attempts = stored.map(({ title, values }) => ({ title, fields: fieldsIn(fieldsOf(values), columns) }));
    return [{ block: name, isStored: true, fields, attempts }];
  });
}

const PAIR = [
  ['chosen', 'Chosen'],
  ['rejected', 'Rejected'],
] as const;

function fieldsIn(values: Readonly<Record<string, unknown>>, columns: readonly ColumnInfo[]): readonly RecordField[] {
  const shown = Object.entries(values).flatMap(([name, value]) => {
    const known = columns.find((column) => column.name === name);
    return known === undefined && isMessages(value) ? [] : (known ?? { name, shown: 'value' as const });
  });
  return recordFields(shown, values, {
    conversationOf: (column, messages) =>
      tracePage(column, messages, { ...NO_CONTEXT, from: 0, count: messages.length }),
  });
}

/** Messages of attempts are shown without prices, and without what no request can find. */
const NO_CONTEXT: MessageContext = { priceOf: () => null, mediaOf: () => undefined };

/** The last answer to each column of each attempt. */
async function journaledAttempts(
  { columns }: PlannedAttempts,
  answers: readonly JournalRecord[],
): Promise<readonly RecordedAttempt[]> {
  const own = answers.filter(({ column }) => columns.includes(column));
  const byAttempt = Map.groupBy(own, ({ call }) => attemptOfCall(call));
  const attempts: RecordedAttempt[] = [];
  for (const [number, made] of [...byAttempt].toSorted(([a], [b]) => a - b)) {
    const last = new Map(made.map((answer) => [answer.column, answer]));
    const fields: RecordField[] = [];
    for (const name of columns) {
      const answer = last.get(name);
      if (!answer) continue;
      const { text } = await readAnswer(answer);
      fields.push(...recordFields([{ name, shown: 'value' }], { [name]: text }));
    }
    attempts.push({ title: `Attempt ${number + 1}`, fields });
  }
  return attempts;
}

/** The answers to a row in the journal of its row group, in the order of their calls. */
async function answersIn({ paths }: ShownDataset, { planRow, group }: PlanRow): Promise<readonly JournalRecord[]> {
  if (planRow === null || group === null) return [];
  const { entries } = await folderJournal(paths.journal(group)).read();
  const own = entries.filter(({ row, status, call }) => {
    return row === planRow && status === 200 && toolCallOf(call) === undefined;
  });
  return own.toSorted((a, b) => a.call - b.call);
}
