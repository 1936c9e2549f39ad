import type { ArrowField, CellValue } from '@data-designer/core';

/** What a check of code found: `is_valid`, null where nothing could be judged, and what else its language has to say. */
export type CodeVerdict = { readonly is_valid: boolean | null } & Readonly<Record<string, CellValue>>;

/** How code of one language is judged. */
export interface CodeCheck {
  /** What a verdict holds. */
  readonly fields: readonly ArrowField[];
  /** The judge, loaded when the first text comes; it has a verdict on every text. */
  readonly open: () => Promise<(code: string) => CodeVerdict>;
  /** The verdict where there is no code to judge; the reason is told where there is one. */
  readonly unjudged: (reason?: string) => CodeVerdict;
}

/** Longer code is not judged: no checker can be interrupted, and of so much each takes seconds at most. */
export const MAX_CHARACTERS = 1_000_000;
