import { describeAttempts, RETRY_COMMAND } from '@data-designer/printing';
import type { DatasetCreationResults } from '@data-designer/results';

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
