import { type ReactNode, useState } from 'react';
import type { DatasetEntry } from '../../../api/datasets.ts';
import type { Overview } from '../../../api/overview.ts';
import type { ColumnStats } from '../../../api/table.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { addCosts, formatCost, formatFigure } from '../../format.ts';
import { ListTable } from '../../parts/facts.tsx';
import { visibleText } from '../../visible-text.ts';
import { usageSoFar } from '../overview/overview-tables.tsx';

/** A figure of both datasets. */
interface Measure {
  readonly name: string;
  readonly left: number | null;
  readonly right: number | null;
  readonly format?: (figure: number) => string;
}

interface DeltasProps {
  readonly left: DatasetEntry;
  readonly right: DatasetEntry;
  /** The versions of both, which change with their rows. */
  readonly versions: readonly [left: string, right: string];
  /** Whether rows of the same places in the plans are compared; undefined before that is known. */
  readonly arePlanned: boolean | undefined;
}

/** What two datasets scored, cost and wrote, and the differences. */
export function DatasetDeltas({ left, right, versions, arePlanned }: DeltasProps): ReactNode {
  const one = useSide(left, versions[0]);
  const other = useSide(right, versions[1]);
  if (one === undefined || other === undefined) return <p className="quiet">Counting both datasets…</p>;
  const lacking = [one, other].filter(hasLost);
  return (
    <>
      {arePlanned !== undefined && lacking.length > 0 && (
        <p className={arePlanned ? 'quiet' : 'warn'}>
          Rows are missing from {visibleText(namesOf(lacking))}.{' '}
          {arePlanned
            ? 'Each row is compared with the same row of the plan.'
            : 'Rows are compared at the same positions: after a missing row, rows of different values stand side by side.'}
        </p>
      )}
      <ListTable
        caption="Figures of both datasets"
        headings={['Figure', left.name, right.name === left.name ? `${right.name} (2)` : right.name, 'Difference']}
        numeric={[1, 2, 3]}
        rows={measuresOf(one, other).map(({ name, left: a, right: b, format = formatFigure }) => ({
          key: name,
          cells: [
            visibleText(name),
            a === null ? 'none' : format(a),
            b === null ? 'none' : format(b),
            a === null || b === null ? '' : signed(differenceOf(a, b), format),
          ],
        }))}
      />
    </>
  );
}

/** Whether rows of the plan are missing between others. */
function hasLost({ overview: { lost } }: Side): boolean {
  return lost.some(({ rows }) => rows > 0);
}

function namesOf(sides: readonly Side[]): string {
  return sides.map(({ overview }) => overview.dataset.name).join(' and ');
}

interface Side {
  readonly overview: Overview;
  readonly stats: readonly ColumnStats[];
}

function useSide({ id }: DatasetEntry, version: string): Side | undefined {
  const source = useSource();
  const [begun, setBegun] = useState(version);
  const { data, isLoading } = useData(`figures of ${id} ${begun}`, async (signal) => {
    const overview = await source.ask('overview', { dataset: id }, signal);
    const counted = overview.columns.filter(({ kind }) => kind === 'model' || kind === 'judge').map(({ name }) => name);
    const { stats } = await source.ask('stats', { dataset: id, columns: counted.slice(0, MOST_COLUMNS) }, signal);
    return { overview, stats };
  });
  // Counts go on to their end before they begin anew.
  if (!isLoading && begun !== version) setBegun(version);
  return data;
}

/** The most columns of one request. */
const MOST_COLUMNS = 300;

function measuresOf(one: Side, other: Side): readonly Measure[] {
  const both = (name: string, of: (side: Side) => number | null, format?: Measure['format']): Measure => {
    return { name, left: of(one), right: of(other), ...(format && { format }) };
  };
  const scores = new Set([one, other].flatMap(({ overview }) => overview.scores.map(({ name }) => name)));
  const texts = new Set(
    [one, other].flatMap(({ stats }) => stats.flatMap((s) => (s.meanLength === null ? [] : s.column))),
  );
  const all = [
    both('rows', ({ overview }) => overview.rows),
    ...Array.from(scores, (name) => both(`mean ${name}`, (side) => meanScore(side, name))),
    both('tokens read', (side) => sum(side, ({ inputTokens }) => inputTokens)),
    both('tokens written', (side) => sum(side, ({ outputTokens }) => outputTokens)),
    both(costName(one, other), (side) => sum(side, ({ cost }) => cost), formatCost),
    both('failed cells', ({ overview }) => overview.failedCells),
    ...Array.from(texts, (name) => {
      return both(`mean characters of ${name}`, (side) => statsOf(side, name)?.meanLength ?? null);
    }),
  ];
  return all.filter(({ left, right }) => left !== null || right !== null);
}

/** The name of the cost, with the models whose cost is unknown. */
function costName(...sides: readonly Side[]): string {
  const unpriced = sides.flatMap(({ overview }) => addCosts(Object.fromEntries(usageSoFar(overview))).unpriced);
  return unpriced.length === 0 ? 'cost' : `cost, without ${[...new Set(unpriced)].join(', ')}`;
}

function statsOf({ stats }: Side, name: string): ColumnStats | undefined {
  return stats.find(({ column }) => column === name);
}

/** The mean of a score of a judge; null for one in words. */
export function meanScore(side: Side, name: string): number | null {
  const { member } = side.overview.scores.find((score) => score.name === name) ?? {};
  const members = statsOf(side, member?.column ?? '')?.members ?? [];
  return members.find(({ path }) => path.join('\n') === member?.path.join('\n'))?.mean ?? null;
}

type Usage = NonNullable<ReturnType<ReturnType<typeof usageSoFar>['get']>>;

/** The sum over the model aliases; null if none has a figure. */
function sum({ overview }: Side, of: (usage: Usage) => number | null): number | null {
  const figures = [...usageSoFar(overview).values()].flatMap((usage) => of(usage) ?? []);
  return figures.length === 0 ? null : figures.reduce((total, figure) => total + figure, 0);
}

/** The difference of two figures; none where only the rounding of their last digit differs. */
export function differenceOf(before: number, after: number): number {
  const isRounding = Math.abs(after - before) <= 1e-12 * Math.max(Math.abs(before), Math.abs(after));
  return isRounding ? 0 : after - before;
}

/** A difference with its sign. */
export function signed(difference: number, format: (figure: number) => string = formatFigure): string {
  if (difference === 0) return '±0';
  return `${difference > 0 ? '+' : '−'}${format(Math.abs(difference))}`;
}
