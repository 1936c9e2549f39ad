import type { Constraint } from '../schemas/constraint.ts';
import type { ColumnFacts, NamedReference } from './column-facts.ts';

/** What must be there before a column's cells. */
export interface Dependencies {
  readonly name: string;
  /** What its cells are made of; where one of these was skipped, a column that propagates is skipped too. */
  readonly reads: readonly string[];
  /** What its skip rule asks. */
  readonly skipReads: readonly string[];
  /** The columns that make all of these, and those that its constraints compare with; never itself. */
  readonly needs: readonly string[];
}

/** Resolves what columns read to the columns that make it; names that nothing makes are left out. */
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

/** Which column makes a name: the column of that name, else the one that has it as a side effect. */
function makersOf(columns: readonly ColumnFacts[]): ReadonlyMap<string, string> {
  const sideEffects = columns.flatMap(({ column, writes }) => writes.map(({ name }) => [name, column.name] as const));
  return new Map([...sideEffects, ...columns.map(({ column: { name } }) => [name, name] as const)]);
}

function namesIn(references: readonly NamedReference[], maker: ReadonlyMap<string, string>): string[] {
  return [...new Set(references.map(({ name }) => name).filter((name) => maker.has(name)))];
}
