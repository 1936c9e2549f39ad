import { untilIn } from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import type { AttemptFigures } from './attempt-figures.ts';

/** Rows of a dataset that a block of attempts kept although it accepted none of their attempts. */
export interface UnverifiedRows {
  /** The name of the block. */
  readonly block: string;
  /** Rows without an accepted attempt. */
  readonly rows: number;
  /** All rows of the block. */
  readonly of: number;
  /** The condition of the block, by which rows can be selected; null without one. */
  readonly until: string | null;
}

/** The rows that blocks of attempts kept without an accepted attempt, by block; blocks without such rows are left out. */
export function unverifiedRows(
  { attempts = [], columns }: Pick<Plan, 'attempts' | 'columns'>,
  counts: Readonly<Record<string, Pick<AttemptFigures, 'rows' | 'accepted'>>>,
): readonly UnverifiedRows[] {
  return attempts.flatMap(({ name, keep, onExhausted, decision }) => {
    const { rows: of = 0, accepted = 0 } = counts[name] ?? {};
    if (onExhausted === 'drop_row' || accepted >= of) return [];
    const config = keep === 'first' ? columns.find((column) => column.name === decision)?.config : undefined;
    const expr: unknown = config && 'expr' in config ? config.expr : undefined;
    const until = typeof expr === 'string' ? untilIn(expr) : undefined;
    return [{ block: name, rows: of - accepted, of, until: until ?? null }];
  });
}
