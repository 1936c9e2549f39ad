import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJournal } from '@data-designer/engine';

/** Answers of models that each row group of a finished dataset took, by its number. */
export type AnswersByGroup = ReadonlyMap<number, number>;

interface UsageLine {
  readonly group: number | null;
  readonly usage: Readonly<Record<string, { readonly requests: number }>>;
}

/** What the row groups of a finished dataset took, from its log of usage. */
export function answersByGroup(dataset: string): AnswersByGroup {
  const lines = readFileSync(join(dataset, 'usage.jsonl'), 'utf8').split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const { group, usage } = JSON.parse(line) as UsageLine;
      return [group ?? -1, Object.values(usage).reduce((sum, { requests }) => sum + requests, 0)];
    }),
  );
}

/** Answers of models that a dataset has kept, wherever its run was ended: in committed groups, and in journals of others. */
export function keptAnswers(dataset: string, taken: AnswersByGroup): number {
  const groups = [...taken.keys()].filter((group) => group >= 0);
  return groups.reduce((sum, group) => {
    const number = String(group).padStart(5, '0');
    if (existsSync(join(dataset, 'parquet-files', `batch_${number}.parquet`))) return sum + (taken.get(group) ?? 0);
    return sum + answersIn(join(dataset, 'journal'), `group_${number}.journal`);
  }, 0);
}

function answersIn(folder: string, name: string): number {
  if (!existsSync(folder) || !readdirSync(folder).includes(name)) return 0;
  const { entries } = decodeJournal(readFileSync(join(folder, name)));
  return entries.filter(({ resource }) => resource.startsWith('model/')).length;
}
