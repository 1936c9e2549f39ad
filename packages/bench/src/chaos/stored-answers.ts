import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderJournal } from '@data-designer/dataset/journal';

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
      const { group, usage }: UsageLine = JSON.parse(line);
      return [group ?? -1, Object.values(usage).reduce((sum, { requests }) => sum + requests, 0)];
    }),
  );
}

/**
 * Answers of models that a dataset stores, wherever its run was ended: in committed groups, and in journals of others. A
 * group is logged before its commit and loses its journal after it; files may be merged once no journal is left.
 */
export async function storedAnswers(dataset: string, taken: AnswersByGroup): Promise<number> {
  const logged = loggedGroups(join(dataset, 'usage.jsonl'));
  let stored = 0;
  for (const [group, answers] of taken) {
    const number = String(group).padStart(5, '0');
    const journal = join(dataset, 'journal', `group_${number}`);
    const isCommitted = existsSync(journal)
      ? existsSync(join(dataset, 'parquet-files', `batch_${number}.parquet`))
      : logged.has(group);
    stored += isCommitted ? answers : await answersIn(journal);
  }
  return stored;
}

/** The groups that a log has a line of, which may be cut short. */
function loggedGroups(path: string): ReadonlySet<number> {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return new Set(lines.map((line) => Number(/^\{"group":(\d+),/.exec(line)?.[1] ?? -1)));
}

async function answersIn(journal: string): Promise<number> {
  const { entries } = await folderJournal(journal).read();
  return entries.filter(({ resource }) => resource.startsWith('model/')).length;
}
