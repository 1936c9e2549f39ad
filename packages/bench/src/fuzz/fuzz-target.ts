import type { Random } from '@data-designer/core';

/** A text that a reader is given, and how it came to be. */
export interface FuzzCase {
  readonly text: string;
  /** Whether it is read as a `.json` file is, not as YAML. */
  readonly json: boolean;
  /** The file that it began as, then what was done to it. */
  readonly story: readonly string[];
}

/** A reader that must stand any text. */
export interface FuzzTarget {
  /** The working folder that cases are read in; that of the command unless given. */
  readonly folder?: string;
  /** The case that these draws make: the same draws make the same case. */
  readonly caseOf: (random: Random) => FuzzCase;
  /** Reads a case and names what came of it; throws what a reader may never throw. */
  readonly check: (one: FuzzCase) => string;
}
