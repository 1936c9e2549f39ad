import { printViolation, type Violation } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import { describeFindings, describeRemark, isRemark } from '@data-designer/printing';
import type { DatasetCreationResults, MadeRecords } from '@data-designer/results';

/** The maximum number of warnings in a result, which a model reads. */
const MAX_WARNINGS = 100;

/** The warnings of one run, as `create` prints them: about the settings, the config, the run and its records. */
export class RunWarnings {
  readonly #warnings: Set<string>;

  constructor(ofSettings: readonly string[] = []) {
    this.#warnings = new Set(ofSettings);
  }

  /** All texts; the last one counts those beyond the maximum. */
  get texts(): readonly string[] {
    const all = [...this.#warnings];
    const more = all.length - MAX_WARNINGS;
    return more > 0 ? [...all.slice(0, MAX_WARNINGS), `There are ${more} more warnings.`] : all;
  }

  /** Adds a warning about the config. */
  addViolation(warning: Violation): void {
    this.#warnings.add(printViolation(warning));
  }

  /** Adds what an event says of a thing that is not as it was asked for. */
  addEvent(event: RunEvent): void {
    if (isRemark(event)) this.#warnings.add(describeRemark(event));
  }

  /** Adds what the records contain in spite of failures and flaws. */
  addFindings({ findings }: Pick<MadeRecords, 'findings'>): void {
    for (const one of describeFindings(findings)) this.#warnings.add(one);
  }

  /** Adds what a client can do about the lost rows. */
  addLostRows(results: Pick<DatasetCreationResults, 'describeLostRows'>): void {
    const told = results.describeLostRows('start_dataset with the same config, resume: always and retry_lost: true');
    if (told !== null) this.#warnings.add(`${told}.`);
  }
}
