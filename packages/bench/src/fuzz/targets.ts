import { configTarget } from './config-target.ts';
import { faultyTarget } from './faulty-target.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { templateTarget } from './template-target.ts';

/** The readers that can be fuzzed, by the name that the command takes. */
export const TARGETS: Readonly<Record<string, () => FuzzTarget>> = {
  config: configTarget,
  faulty: faultyTarget,
  template: templateTarget,
};
