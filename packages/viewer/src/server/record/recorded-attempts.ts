import { attemptOfCall, isFields, type PlannedAttempts, type Row, toolCallOf } from '@data-designer/core';
import type { PlanRow } from '@data-designer/dataset';
import { folderJournal, type JournalRecord } from '@data-designer/dataset/journal';
import type { RecordedAttempt, RecordedAttempts } from '../../api/record.ts';
import { cutCell, IN_RECORD } from '../cut-cell.ts';
import { readAnswer } from '../live/read-answer.ts';
import type { ShownDataset } from '../shown-dataset.ts';

/** The attempts at a row: those that the row has, or the answers to them in the journal of an unfinished row group. */
export async function attemptsAt(
  dataset: ShownDataset,
  { row, planRow, group }: PlanRow & { readonly row: Row },
): Promise<readonly RecordedAttempts[]> {
  const { attempts: blocks = [] } = (await dataset.plan()).plan;
  if (blocks.length === 0) return [];
  const answers = await answersIn(dataset, { planRow, group });
  const recorded: RecordedAttempts[] = [];
  for (const block of blocks) {
    const stored = storedAttempts(block, row);
    const attempts = stored ?? (await journaledAttempts(block, answers));
    if (attempts.length > 0) recorded.push({ block: block.name, isStored: stored !== undefined, attempts });
  }
  return recorded;
}

function storedAttempts({ name, keep }: PlannedAttempts, row: Row): readonly RecordedAttempt[] | undefined {
  const all = keep === 'all' ? row[`${name}__all`] : undefined;
  if (!Array.isArray(all)) return undefined;
  return all.filter(isFields).map((values, at) => ({
    number: at + 1,
    values: Object.entries(values).map(([column, value]) => ({ column, value: cutCell(value, IN_RECORD) })),
  }));
}

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
    const values: RecordedAttempt['values'][number][] = [];
    for (const column of columns) {
      const answer = last.get(column);
      if (answer) values.push({ column, value: cutCell((await readAnswer(answer)).text, IN_RECORD) });
    }
    attempts.push({ number: number + 1, values });
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
