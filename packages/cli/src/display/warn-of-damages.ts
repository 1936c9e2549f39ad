import { describeAttempts, formatCount, pluralize, RETRY_COMMAND, shellWord } from '@data-designer/printing';
import type { DatasetCreationResults } from '@data-designer/results';
import { shellPath } from './shell-path.ts';

/** Warns on standard error of damaged files of a dataset, whose rows can be read. */
export function warnOfDamages(damages: readonly string[]): void {
  for (const damage of damages) process.stderr.write(`Warning: the dataset is damaged. ${damage}\n`);
}

/** Says on standard error what can be done about the lost rows of a dataset. */
export function tellOfLostRows(results: Pick<DatasetCreationResults, 'describeLostRows'>): void {
  const told = results.describeLostRows(RETRY_COMMAND);
  if (told !== null) process.stderr.write(`${told}.\n`);
}

/** Says on standard error after how many attempts the rows of a dataset were accepted. */
export function tellOfAttempts({ attempts }: Pick<DatasetCreationResults, 'attempts'>): void {
  for (const one of describeAttempts(attempts)) process.stderr.write(`${one}\n`);
}

/** Says on standard error how many rows of a dataset are not verified. */
export function tellOfUnverified(results: Pick<DatasetCreationResults, 'path' | 'unverified'>): void {
  for (const one of describeUnverified(results)) process.stderr.write(`${one}\n`);
}

/** How many rows no attempt has verified, and which command leaves them out. */
export function describeUnverified({
  path,
  unverified,
}: Pick<DatasetCreationResults, 'path' | 'unverified'>): readonly string[] {
  const folder = shellPath(path);
  return unverified.map(({ block, rows, of, until }) => {
    const command = `npx data-designer select ${folder} --where ${shellWord(until ?? '')} -d verified`;
    const remedy = until === null ? '' : ` To leave them out: ${command}`;
    return `${formatCount(rows)} of ${pluralize(of, 'row')} ${rows === 1 ? 'is' : 'are'} not verified: '${block}' accepted no attempt.${remedy}`;
  });
}
