import { DataDesignerError, isFailure } from '@data-designer/core';
import { flaggedSettings, type OptionTable } from '@data-designer/declaration';

/** The flags by the path of the run setting that each gives. */
const FLAGS: ReadonlyMap<string, string> = new Map(
  Object.entries<OptionTable[string]>(flaggedSettings).flatMap(([name, { flag = '' }]) => {
    const key = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const long = /--[\w-]+/.exec(flag)?.[0];
    return long === undefined ? [] : [[`run_config.${key}`, long] as const];
  }),
);

/** A failure whose mistakes in run settings name the flag that gave the setting, if a flag did. */
export function withPlaceOfFlag(failure: DataDesignerError, args: readonly string[]): DataDesignerError {
  if (!isFailure(failure, 'config/invalid')) return failure;
  const { source, violations } = failure.data;
  const placed = violations.map((violation) => {
    const flag = FLAGS.get(violation.path);
    const isGiven = flag !== undefined && args.some((word) => word === flag || word.startsWith(`${flag}=`));
    return isGiven ? { ...violation, path: flag } : violation;
  });
  if (placed.every(({ path }, index) => path === violations[index]?.path)) return failure;
  const isOfFlags = placed.every(({ path }) => path.startsWith('--'));
  return new DataDesignerError('config/invalid', {
    source: isOfFlags ? 'The command line' : source,
    violations: placed,
  });
}
