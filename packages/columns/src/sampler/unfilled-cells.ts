import { DataDesignerError, isFailure, messageOf, type UnfilledRows } from '@data-designer/core';
import { ConstraintUnmet } from './draw-constrained.ts';

/** The number of rows listed in a message. */
const MOST_NAMED = 5;

/** Collects the rows of a range without a value, by reason. */
export class UnfilledCells {
  readonly #column: string;
  readonly #byReason = new Map<string, { readonly thrown: unknown; readonly positions: number[] }>();

  constructor(column: string) {
    this.#column = column;
  }

  /** Records a failed draw. */
  add(position: number, thrown: unknown): void {
    const reason = reasonOf(thrown);
    const known = this.#byReason.get(reason);
    if (known) known.positions.push(position);
    else this.#byReason.set(reason, { thrown, positions: [position] });
  }

  /** The rows by reason; messages name their numbers in the run. */
  list(firstRow: number): readonly UnfilledRows[] {
    return [...this.#byReason.values()].map(({ thrown, positions }) => {
      const rows = positions.slice(0, MOST_NAMED).map((position) => firstRow + position);
      return { positions, failure: this.#failure(thrown, { rows, more: positions.length - rows.length }) };
    });
  }

  #failure(thrown: unknown, named: { rows: readonly number[]; more: number }): DataDesignerError {
    if (thrown instanceof ConstraintUnmet) {
      const { constraint, nearest } = thrown;
      return new DataDesignerError('column/constraint-unmet', { column: this.#column, constraint, nearest, ...named });
    }
    if (isFailure(thrown, 'column/not-converted')) {
      return new DataDesignerError('column/not-converted', { ...thrown.data, ...named });
    }
    return DataDesignerError.fromUnknown(thrown);
  }
}

/** A constraint against another column is one reason, though its message has another value in each row. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof ConstraintUnmet) return thrown.constraint.replace(/ \(which is .*\)$/, '');
  return messageOf(thrown);
}
