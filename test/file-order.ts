import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests take long, mostly because they wait. */
const LONG = /\/(?:poisoned-cells|faults|serve|lost-groups|bad-days|bad-disks|chaos)\.test\.ts$/;

/** Starts the files that take longest first and those of the packages, which are short, last: no long file ends alone. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is that of the sequencer
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  if (LONG.test(moduleId)) return 0;
  return project.name === 'packages' ? 2 : 1;
}
