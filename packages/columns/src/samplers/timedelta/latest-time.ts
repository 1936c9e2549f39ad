import type { ColumnConfig, Surroundings } from '@data-designer/core';
import { SECONDS_IN } from '../datetime/civil-time.ts';
import { parseTime } from '../datetime/parse-time.ts';
import { allParams, sampledColumn, type SampledParams } from '../sampled-column.ts';

/** The last second of the year 9999, from 1970. */
export const LAST_SECOND = 253_402_300_799;

/** The longest delay, and the column to which it is added. */
interface Delay {
  readonly dtMax: number;
  readonly unit: keyof typeof SECONDS_IN;
  readonly referenceColumnName: string;
}

type Columns = Surroundings['columns'];

/** Cached per dataset: a long chain of columns would otherwise be searched from each column. */
const foundIn = new WeakMap<Columns, Map<string, number>>();

/** The latest time that a delay may reach; references without times, and circular ones, count as 1970. */
export function latestTime({ dtMax, unit, referenceColumnName }: Delay, { columns }: { columns: Columns }): number {
  const latest = foundIn.get(columns) ?? new Map<string, number>();
  foundIn.set(columns, latest);
  findLatest(referenceColumnName, columns, latest);
  return (latest.get(referenceColumnName) ?? 0) + (dtMax - 1) * SECONDS_IN[unit];
}

/** Depth first and iteratively: a chain of columns may exceed the stack. */
function findLatest(wanted: string, columns: Columns, latest: Map<string, number>): void {
  const open: { readonly name: string; readonly params: readonly SampledParams[]; readonly left: string[] }[] = [];
  const enter = (name: string): void => {
    if (latest.has(name)) return;
    latest.set(name, 0);
    const params = paramsOf(columns.get(name));
    open.push({ name, params, left: params.filter(isDelay).map((one) => one.referenceColumnName) });
  };
  enter(wanted);
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const next = last.left.pop();
    if (next !== undefined) {
      enter(next);
      continue;
    }
    const ends = last.params.map((one) => latestWith(one, latest));
    latest.set(
      last.name,
      ends.reduce((one, other) => Math.max(one, other), 0),
    );
    open.pop();
  }
}

function paramsOf(column: ColumnConfig | undefined): readonly SampledParams[] {
  const sampled = column && sampledColumn(column);
  return sampled ? allParams(sampled) : [];
}

function isDelay(params: SampledParams): params is SampledParams & Delay {
  return params.samplerType === 'timedelta';
}

function latestWith(params: SampledParams, latest: ReadonlyMap<string, number>): number {
  if (params.samplerType === 'datetime') return parseTime(String(params.end)) ?? 0;
  if (!isDelay(params)) return 0;
  return (latest.get(params.referenceColumnName) ?? 0) + (params.dtMax - 1) * SECONDS_IN[params.unit];
}
