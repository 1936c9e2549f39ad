import type { Constraint } from '../schemas/constraint.ts';
import type { ColumnFacts, NamedReference } from './column-facts.ts';

/** The columns that must be made before a column. */
export interface Dependencies {
  readonly name: string;
  /** The names that its cells read; with `propagateSkip` a skipped one skips the cell. */
  readonly reads: readonly string[];
  /** The names that its skip rule reads. */
  readonly skipReads: readonly string[];
  /** The columns that write these names, and those in its constraints, without itself. */
  readonly needs: readonly string[];
}

/** Resolves the names that columns read to the columns that write them; unknown names are ignored. */
export function dependenciesOf(
  columns: readonly ColumnFacts[],
  constraints: readonly Constraint[],
): readonly Dependencies[] {
  const maker = makersOf(columns);
  const byTarget = Map.groupBy(constraints, ({ targetColumn }) => targetColumn);
  return columns.map(({ column: { name }, references, skipReferences }) => {
    const reads = namesIn(references, maker);
    const skipReads = namesIn(skipReferences, maker);
    const compared = (byTarget.get(name) ?? []).flatMap(({ rhs }) =>
      typeof rhs === 'string' && maker.has(rhs) ? [rhs] : [],
    );
    const makers = [...reads, ...skipReads, ...compared].flatMap((read) => maker.get(read) ?? []);
    return { name, reads, skipReads, needs: [...new Set(makers)].filter((other) => other !== name) };
  });
}

/** The column that writes each name: the column of that name, else the one with that side effect. */
function makersOf(columns: readonly ColumnFacts[]): ReadonlyMap<string, string> {
  const sideEffects = columns.flatMap(({ column, writes }) => writes.map(({ name }) => [name, column.name] as const));
  return new Map([...sideEffects, ...columns.map(({ column: { name } }) => [name, name] as const)]);
}

function namesIn(references: readonly NamedReference[], maker: ReadonlyMap<string, string>): string[] {
  return [...new Set(references.map(({ name }) => name).filter((name) => maker.has(name)))];
}
