import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests take more than half a minute where five run at a time, or long for files of packages. */
const LONG =
  /\/(?:packages|poisoned-cells|faults|resume|cluster|cluster-select|cluster-workflows|workflows|serve|recipes|run-ends|report|viewer|lost-groups|bad-days|bad-disks|reliability|tool-sessions|stdio-session|run-fuzz)\.test\.ts$/;

/**
 * Starts the files that take longest first, so that none ends alone, and those of the packages, which are short, after all
 * others: a worker of vitest ends where the next file is of another project.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is that of the sequencer
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  return (project.name === 'packages' ? 2 : 0) + (LONG.test(moduleId) ? 0 : 1);
}
