import type { ArrowField, CellValue } from '@data-designer/core';

/** The verdict on code: `is_valid`, null if it was not judged, and further fields by language. */
export type CodeVerdict = { readonly is_valid: boolean | null } & Readonly<Record<string, CellValue>>;

/** The check of code in one language. */
export interface CodeCheck {
  /** The fields of a verdict. */
  readonly fields: readonly ArrowField[];
  /** Loads the judge, which has a verdict on every text. */
  readonly open: () => Promise<(code: string) => CodeVerdict>;
  /** The verdict on a cell that is not judged; the reason is reported if given. */
  readonly unjudged: (reason?: string) => CodeVerdict;
}

/** Longer code is not judged: checkers cannot be interrupted, and this much takes them seconds. */
export const MAX_CHARACTERS = 1_000_000;
