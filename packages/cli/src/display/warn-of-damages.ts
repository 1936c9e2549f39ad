/** Warns on standard error of damaged files of a dataset, whose rows can be read. */
export function warnOfDamages(damages: readonly string[]): void {
  for (const damage of damages) process.stderr.write(`Warning: the dataset is damaged. ${damage}\n`);
}
