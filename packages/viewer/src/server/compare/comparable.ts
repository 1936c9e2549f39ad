import type { ComparableDataset, ComparableList } from '../../api/compare.ts';
import type { ShownDataset } from '../shown-dataset.ts';
import type { ShownDatasets } from '../shown-datasets.ts';

/** The datasets to compare one with: those with the most of its columns first, then finished ones, and those of its size. */
export async function comparableWith(dataset: ShownDataset, shown: ShownDatasets): Promise<ComparableList> {
  const { columns } = await dataset.plan();
  const own = new Set(columns.map(({ name }) => name));
  const neighbours = await shown.neighboursOf(dataset);
  const others = [...shown.all(), ...neighbours].filter((one) => one !== dataset);
  const read = await Promise.all(others.map(async (other) => ({ other, facts: await factsOf(other, own) })));
  const known = read.flatMap(({ other, facts }) => {
    const isOffered = facts !== undefined && (facts.state === 'finished' || !neighbours.includes(other));
    return isOffered ? [{ ...other.entry, facts }] : [];
  });
  const { total } = await dataset.currentRows();
  const farOff = ({ rows }: Facts): number => Math.abs(rows - total);
  const inOrder = known.toSorted((a, b) => rankOf(a.facts) - rankOf(b.facts) || farOff(a.facts) - farOff(b.facts));
  return { datasets: inOrder };
}

type Facts = NonNullable<ComparableDataset['facts']>;

/** Undefined for a dataset that cannot be read. */
async function factsOf(other: ShownDataset, own: ReadonlySet<string>): Promise<Facts | undefined> {
  try {
    const { columns } = await other.plan();
    const { state, rows } = await other.monitor.figures();
    return { state, rows, sharedColumns: columns.filter(({ name }) => own.has(name)).length };
  } catch {
    return undefined;
  }
}

/** Less for a likelier one. */
function rankOf({ state, sharedColumns }: Facts): number {
  return (state === 'finished' ? 0 : 0.5) - sharedColumns;
}
