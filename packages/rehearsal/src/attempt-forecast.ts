import type { Plan, PlannedAttempts } from '@data-designer/core';
import { type AttemptFigures, attemptFigures, expectedAttempts, type RunSummary } from '@data-designer/engine';

/** The attempts at the rows of the real run. */
export interface AttemptForecast {
  /** The share of attempts that are accepted: as given, or that of the sample; null for blocks without `until`. */
  readonly passRate: number | null;
  /** Attempts for each row. */
  readonly attemptsPerRow: number;
  /** The fewest and the most attempts at a row. */
  readonly bounds: readonly [fewest: number, most: number];
  /** The share of rows with an accepted attempt. */
  readonly accepted: number;
}

/** The attempts of a real run, and what they change in the figures of its sample. */
export interface ForecastAttempts {
  /** By block. */
  readonly blocks: Readonly<Record<string, AttemptForecast>>;
  /** By which factor the cells of a column differ from those of the sample. */
  readonly factorOf: (column: string) => number;
  /** The share of rows that no block loses. */
  readonly kept: number;
}

/**
 * Forecasts the attempts of a run from a sample in which rows without an accepted attempt stay. A given pass rate replaces
 * that of the sample.
 */
export function forecastAttempts(
  real: Pick<Plan, 'attempts' | 'columns' | 'models' | 'profilers'>,
  summary: Pick<RunSummary, 'attempts' | 'pricedUsage'>,
  passRate: number | undefined,
): ForecastAttempts {
  const { attempts = [] } = real;
  const figures = attemptFigures(real, summary);
  const blocks = Object.fromEntries(
    attempts.map((block) => [block.name, forecastBlock(block, figures[block.name], passRate)]),
  );
  const losing = attempts.filter(({ onExhausted }) => onExhausted === 'drop_row');
  const later = new Map(attempts.map((block) => [block.name, columnsAfter(real, block)]));
  const factorOf = (column: string): number => {
    const inside = attempts.find(({ columns }) => columns.includes(column));
    const { attemptsPerRow = 1 } = blocks[inside?.name ?? ''] ?? {};
    const sampled = inside ? sampledPerRow(figures[inside.name]) : undefined;
    const before = losing.filter(({ name }) => later.get(name)?.has(column));
    // A sample without an accepted row does not tell how many rows the later columns will have.
    const reached = before.map(({ name }) => blocks[name]?.accepted ?? 1).filter((share) => share > 0);
    return (sampled === undefined ? 1 : attemptsPerRow / sampled) * product(reached);
  };
  return { blocks, factorOf, kept: product(losing.map(({ name }) => blocks[name]?.accepted ?? 1)) };
}

function forecastBlock(
  { keep, max }: PlannedAttempts,
  figures: AttemptFigures | undefined,
  given: number | undefined,
): AttemptForecast {
  const { rows = 0, accepted = 0, passRate = null } = figures ?? {};
  const isFirst = keep === 'first';
  const bounds = [isFirst ? 1 : max, max] as const;
  if (isFirst && given !== undefined) {
    return { passRate: given, attemptsPerRow: expectedAttempts(given, max), bounds, accepted: 1 - (1 - given) ** max };
  }
  const share = rows > 0 ? accepted / rows : 1;
  return { passRate, attemptsPerRow: sampledPerRow(figures) ?? max, bounds, accepted: share };
}

function sampledPerRow(figures: AttemptFigures | undefined): number | undefined {
  return figures && figures.rows > 0 ? figures.attempts / figures.rows : undefined;
}

/** The columns that wait for a block. */
function columnsAfter({ columns }: Pick<Plan, 'columns'>, block: PlannedAttempts): ReadonlySet<string> {
  const inside = new Set(block.columns);
  const after = new Set<string>();
  // Columns are in dependency order.
  for (const { name, needs } of columns) {
    if (!inside.has(name) && needs.some((need) => inside.has(need) || after.has(need))) after.add(name);
  }
  return after;
}

function product(factors: readonly number[]): number {
  return factors.reduce((all, factor) => all * factor, 1);
}
