import { type ArrowField, DataDesignerError, type Plan, type PlannedColumn, rowsIn } from '@data-designer/core';
import type { ColumnRegistry } from '@data-designer/config';
import { quotedName, withBoundedDuckDb } from '@data-designer/seeds/duck-db';
import { damagedFile } from '@data-designer/dataset';
import { profileColumn } from './columns/column-profile.ts';
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
import { profileJudge, scoresOf } from './judges/judge-profile.ts';
import { findNullPatterns } from './columns/null-patterns.ts';
import { ProfiledTable } from './table/profiled-table.ts';
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
export type CountedProfile = Omit<DatasetProfile, 'usage' | 'cost'>;

/** Memory for counting; a second attempt has more. */
const MEGABYTES = [256, 1536] as const;

/** Nulls are counted in this many columns at a time. */
const COLUMNS_PER_QUERY = 200;

/** Calculates statistics with few rows in memory; marks a figure that fails, and throws `dataset/damaged`. */
export async function profileDataset(parts: ProfileParts): Promise<CountedProfile> {
  for (const megabytes of MEGABYTES) {
    const { profile, ranOut } = await profileWith(parts, megabytes);
    if (!ranOut || megabytes === MEGABYTES.at(-1)) return profile;
  }
  throw new DataDesignerError('internal/unexpected', { reason: 'no profile was made' });
}

async function profileWith(parts: ProfileParts, megabytes: number) {
  return withBoundedDuckDb({ folder: parts.folder, megabytes }, async (connection) => {
    const table = await openTable(parts, () => ProfiledTable.open(connection, parts.files));
    const { records } = table;
    const { plan, name } = parts;
    const columns = await profileColumns(table, parts, records);
    const declared = new Set(columns.map((column) => column.name));
    const correlations: Correlations | null = orNone(await table.calculated(() => correlate(table, columns)), null);
    const nullPatterns: readonly NullPattern[] = orNone(
      await table.calculated(() => findNullPatterns(table, columns)),
      [],
    );
    const traces: TraceProfile[] = [];
    for (const field of plan.fields.filter(isTrace)) traces.push(await profileTrace(table, field));
    const profile: CountedProfile = {
      version: 1,
      name,
      records,
      wanted: rowsIn(plan.segments),
      columns,
      sideEffects: plan.fields.map((field) => field.name).filter((field) => !declared.has(field)),
      correlations,
      nullPatterns,
      traces,
      judges: await profileJudges(table, plan),
    };
    return { profile, ranOut: table.ranOut };
  });
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

/** The declared columns in the order of the table, without dropped ones. */
function declaredColumns({ columns, fields }: Plan): readonly { column: PlannedColumn; field: ArrowField }[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return fields.flatMap((field) => {
    const column = byName.get(field.name);
    return column ? [{ column, field }] : [];
  });
}

async function profileColumns(
  table: ProfiledTable,
  parts: ProfileParts,
  records: number,
): Promise<readonly ColumnProfile[]> {
  const declared = declaredColumns(parts.plan);
  const nulls = await countNulls(
    table,
    declared.map(({ field }) => field.name),
    records,
  );
  const profiles: ColumnProfile[] = [];
  for (const [index, { column, field }] of declared.entries()) {
    const type = parts.registry.get(column.config.columnType);
    const distribution = type?.distribution?.(column.config);
    const counted = { column, field, records, distribution, nulls: nulls[index] ?? NOT_CALCULATED };
    const profile = await profileColumn(table, counted);
    const tokens = usesModel(column) ? await profileTokens(table, column, { ...parts, records }) : {};
    profiles.push({ ...profile, ...tokens });
  }
  return profiles;
}

async function countNulls(table: ProfiledTable, names: readonly string[], records: number): Promise<readonly Figure[]> {
  const counts: Figure[] = [];
  for (let first = 0; first < names.length; first += COLUMNS_PER_QUERY) {
    const some = names.slice(first, first + COLUMNS_PER_QUERY);
    const asked = some.map((name) => `count(${quotedName(name)})`).join(', ');
    const found = await table.calculated(() => table.row(`SELECT ${asked} FROM t`));
    counts.push(...some.map((_, at) => (found === NOT_CALCULATED ? found : records - Number(found[at]))));
  }
  return counts;
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
