import { DataDesignerError, type Plan, rowsIn } from '@data-designer/core';
import type { ColumnRegistry } from '@data-designer/config';
import { withBoundedDuckDb } from '@data-designer/seeds/duck-db';
import { damagedFile } from '@data-designer/dataset';
import {
  columnValue,
  type CountedValue,
  declaredColumns,
  profileColumn,
  structFields,
} from './columns/column-profile.ts';
import { correlate } from './columns/correlations.ts';
import {
  type ColumnProfile,
  type Correlations,
  type DatasetProfile,
  type Figure,
  type JudgeProfile,
  NOT_CALCULATED,
  type NullPattern,
  type TraceProfile,
} from './dataset-profile.ts';
import { profileJudge, scoresOf } from './columns/judge-profile.ts';
import { findNullPatterns } from './columns/null-patterns.ts';
import { PlainStatistics } from './columns/plain-statistics.ts';
import { SqlStatistics } from './columns/sql-statistics.ts';
import type { FirstTexts } from './table/first-texts.ts';
import type { TableStatistics } from './table/table-statistics.ts';
import { ProfiledTable, type ProfiledValue } from './table/profiled-table.ts';
import { usesModel, profileTokens } from './tokens/token-profile.ts';
import { isTrace, profileTrace } from './columns/trace-profile.ts';

/** The dataset to profile. */
export interface ProfileParts {
  readonly name: string;
  /** Parquet files with the rows, in their order. */
  readonly files: readonly string[];
  readonly plan: Plan;
  readonly registry: ColumnRegistry;
  /** A private folder where DuckDB spills. */
  readonly folder: string;
}

/** The part of a profile that is counted from the files. */
export type CountedProfile = Omit<DatasetProfile, 'usage' | 'cost' | 'findings' | 'attempts' | 'selection'>;

/** Memory for counting; a second attempt has more. */
const MEGABYTES = [256, 1536] as const;

/** Nulls are counted in this many values at a time. */
const VALUES_PER_QUERY = 200;

/** The fields of a struct column that are profiled. */
const MAX_FIELDS = 60;

/** Calculates statistics in limited memory; marks a figure that fails, and throws `dataset/damaged`. */
export async function profileDataset(parts: ProfileParts): Promise<CountedProfile> {
  const plain = await PlainStatistics.open(parts.files, parts.plan);
  if (plain) return profileOf(plain, parts);
  for (const megabytes of MEGABYTES) {
    const { profile, ranOut } = await profileWith(parts, megabytes);
    if (!ranOut || megabytes === MEGABYTES.at(-1)) return profile;
  }
  throw new DataDesignerError('internal/unexpected', { reason: 'no profile was made' });
}

async function profileWith(parts: ProfileParts, megabytes: number) {
  return withBoundedDuckDb({ folder: parts.folder, megabytes }, async (connection) => {
    const table = await openTable(parts, () => ProfiledTable.open(connection, parts.files));
    return { profile: await profileOf(new SqlStatistics(table, parts.folder), parts), ranOut: table.ranOut };
  });
}

async function profileOf(statistics: TableStatistics, parts: ProfileParts): Promise<CountedProfile> {
  const { records, sql: table } = statistics;
  const { plan, name } = parts;
  const columns = await profileColumns(statistics, parts);
  const declared = new Set(columns.map((column) => column.name));
  const correlations: Correlations | null = orNone(
    await statistics.calculated(() => correlate(statistics, columns)),
    null,
  );
  const nullPatterns: readonly NullPattern[] = orNone(
    await statistics.calculated(() => findNullPatterns(statistics, columns)),
    [],
  );
  const traces: TraceProfile[] = [];
  const chats = new Map(plan.columns.flatMap((column) => (column.chats ?? []).map((chat) => [chat.field, chat])));
  if (table) {
    for (const field of plan.fields.filter(isTrace))
      traces.push(await profileTrace(table, field, chats.get(field.name)));
  }
  return {
    version: 1,
    name,
    records,
    wanted: rowsIn(plan.segments),
    columns,
    sideEffects: plan.fields.map((field) => field.name).filter((field) => !declared.has(field)),
    correlations,
    nullPatterns,
    traces,
    judges: table ? await profileJudges(table, plan) : [],
  };
}

/** Opens the table; throws `dataset/damaged` with the file that cannot be read. */
async function openTable({ files }: ProfileParts, open: () => Promise<ProfiledTable>): Promise<ProfiledTable> {
  try {
    return await open();
  } catch (thrown) {
    const named = files.find((file) => String(thrown).includes(file)) ?? files[0];
    throw damagedFile(String(named), thrown);
  }
}

async function profileColumns(statistics: TableStatistics, parts: ProfileParts): Promise<readonly ColumnProfile[]> {
  const declared = declaredColumns(parts.plan).map(({ column, field }) => {
    const own = columnValue(field);
    // The statistics of a judge's fields are those of its scores.
    return { column, own, fields: scoresOf(column) ? [] : structFields(own) };
  });
  const count = await valueCounter(
    statistics,
    declared.flatMap(({ own, fields }) => [own, ...fields.slice(0, MAX_FIELDS)]),
  );
  const profiles: ColumnProfile[] = [];
  for (const { column, own, fields } of declared) {
    const counted = {
      column,
      distribution: parts.registry.get(column.config.columnType)?.distribution?.(column.config),
      own: count(own),
      fields: fields.slice(0, MAX_FIELDS).map(count),
      omittedFields: Math.max(0, fields.length - MAX_FIELDS),
    };
    const profile = await profileColumn(statistics, counted);
    const tokens = usesModel(column) ? await profileTokens(statistics, column, parts) : {};
    profiles.push({ ...profile, ...tokens });
  }
  return profiles;
}

/** Counts the nulls of all values, and reads their first texts, in queries of many values each. */
async function valueCounter(statistics: TableStatistics, values: readonly ProfiledValue[]) {
  const known = new Map<ProfiledValue, { readonly nulls: Figure; readonly first: FirstTexts }>();
  for (let start = 0; start < values.length; start += VALUES_PER_QUERY) {
    const some = values.slice(start, start + VALUES_PER_QUERY);
    const counts = await statistics.calculated(() => statistics.counts(some));
    const texts = await statistics.calculated(() => statistics.firstTexts(some));
    for (const [at, value] of some.entries()) {
      const nulls = counts === NOT_CALCULATED ? counts : statistics.records - (counts[at] ?? 0);
      known.set(value, { nulls, first: texts === NOT_CALCULATED ? [] : (texts[at] ?? []) });
    }
  }
  return <Value extends ProfiledValue>(value: Value): CountedValue<Value> => ({
    value,
    ...(known.get(value) ?? { nulls: NOT_CALCULATED, first: [] }),
  });
}

async function profileJudges(table: ProfiledTable, plan: Plan): Promise<readonly JudgeProfile[]> {
  const judges: JudgeProfile[] = [];
  for (const { column, field } of declaredColumns(plan)) {
    const scores = scoresOf(column);
    if (scores) judges.push(await profileJudge(table, field, scores));
  }
  return judges;
}

function orNone<Value>(value: Value | typeof NOT_CALCULATED, none: Value): Value {
  return value === NOT_CALCULATED ? none : value;
}
