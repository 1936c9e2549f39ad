/** How many calls took how long: pairs of milliseconds and a number of calls, the shortest first. */
type TimeCounts = readonly (readonly [ms: number, calls: number])[];

/** The times of a column's calls to a model, from the permit to the answer; plain data. */
export interface ColumnTimes {
  /** The latest calls that were answered. */
  readonly ended: TimeCounts;
  /** How long the calls in flight have taken so far. */
  readonly running: TimeCounts;
}

/** A call with a permit; `ms` is undefined while it is in flight. */
interface TimedCall {
  readonly begunAt: number;
  ms: number | undefined;
}

/** The calls of a column: those that began before its first answer, and later ones. */
interface TimedColumn {
  first: TimedCall[];
  later: TimedCall[];
  hasAnswer: boolean;
}

/** The calls of a column that are kept; more while old ones are in flight. */
const KEPT_CALLS = 512;
const MOST_CALLS = 4096;
/** Times are counted in steps of this ratio. */
const STEP = 2 ** (1 / 8);
/** From this number of later answers on, they show whether the first ones were unusual. */
const ENOUGH_LATER = 8;
/** The first answers were unusual if their times differ by this ratio, and by so many standard errors. */
const UNUSUAL_RATIO = 1.5;
const UNUSUAL_ERRORS = 3;

/** The times of the calls to a model, by column. */
export class CallTimes {
  readonly #columns = new Map<string, TimedColumn>();

  /** A call begins; call the returned function when it ends. A call that was not answered does not count. */
  begin(column: string, begunAt: number): (end: { readonly time: number; readonly isAnswered: boolean }) => void {
    const calls = this.#columnOf(column);
    const call: TimedCall = { begunAt, ms: undefined };
    const list = calls.hasAnswer ? 'later' : 'first';
    calls[list].push(call);
    if (list === 'later') dropOld(calls);
    return ({ time, isAnswered }) => {
      calls.hasAnswer ||= isAnswered;
      if (isAnswered) call.ms = time - begunAt;
      else calls[list] = calls[list].filter((one) => one !== call);
    };
  }

  /** The times by column; without the first answers of a server that was slower or faster then, as while it loads its model. */
  counts(time: number): Readonly<Record<string, ColumnTimes>> {
    return Object.fromEntries(Array.from(this.#columns, ([column, calls]) => [column, countsOf(calls, time)]));
  }

  #columnOf(column: string): TimedColumn {
    let calls = this.#columns.get(column);
    if (!calls) this.#columns.set(column, (calls = { first: [], later: [], hasAnswer: false }));
    return calls;
  }
}

function dropOld({ first, later }: TimedColumn): void {
  const [oldest = first] = [first, later].filter(({ length }) => length > 0);
  const all = first.length + later.length;
  if (all > MOST_CALLS || (all > KEPT_CALLS && oldest[0]?.ms !== undefined)) oldest.shift();
}

function countsOf({ first, later }: TimedColumn, time: number): ColumnTimes {
  const calls = areUnusual(first, later)
    ? [...first.filter(({ ms }) => ms === undefined), ...later]
    : [...first, ...later];
  const running = calls.flatMap(({ begunAt, ms }) => (ms === undefined ? [time - begunAt] : []));
  return { ended: counted(calls.flatMap(({ ms }) => ms ?? [])), running: counted(running) };
}

function areUnusual(first: readonly TimedCall[], later: readonly TimedCall[]): boolean {
  const [one, other] = [logsOf(first), logsOf(later)];
  if (one.length < 2 || other.length < ENOUGH_LATER) return false;
  const [a, b] = [spreadOf(one), spreadOf(other)];
  const difference = Math.abs(a.mean - b.mean);
  const error = Math.sqrt(a.variance / one.length + b.variance / other.length);
  return difference > Math.log(UNUSUAL_RATIO) && difference > UNUSUAL_ERRORS * error;
}

function logsOf(calls: readonly TimedCall[]): readonly number[] {
  return calls.flatMap(({ ms }) => (ms === undefined ? [] : Math.log(Math.max(1, ms))));
}

function spreadOf(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1) };
}

function counted(times: readonly number[]): TimeCounts {
  const counts = new Map<number, number>();
  for (const ms of times) {
    const step = Math.round(Math.log(Math.max(1, ms)) / Math.log(STEP));
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return [...counts].toSorted(([a], [b]) => a - b).map(([step, calls]) => [STEP ** step, calls]);
}
