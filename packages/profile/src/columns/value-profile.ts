import type { ArrowType, Distribution, LogicalType } from '@data-designer/core';
import { type CalculatedValue, type CategoryProfile, type Figure, type ValueProfile } from '../dataset-profile.ts';
import type { FirstTexts } from '../table/first-texts.ts';
import type { ProfiledValue } from '../table/profiled-table.ts';
import type { TableStatistics } from '../table/table-statistics.ts';

/** Values with more distinct ones have no categories, unless they are dates or drawn from a list. */
const MAX_KINDS = 1000;
/** Categories listed; a column that draws from a list has all of them, up to `MAX_KINDS`. */
const LISTED = 30;

const NAMES = { bool: 'bool', int64: 'int64', float64: 'double', utf8: 'string', null: 'null' } as const;
const SIMPLE = { bool: 'bool', int64: 'int', float64: 'float', utf8: 'string', null: 'null' } as const;

/** What is known about a value before it is profiled. */
interface KnownFigures {
  readonly nulls: Figure;
  readonly first: FirstTexts;
  /** How statistics describe it; undefined if it is not drawn. */
  readonly distribution?: Distribution | undefined;
  /** The declared format of dates. */
  readonly dateFormat?: unknown;
}

/** The statistics of a value; a figure that fails is marked and does not affect the others. */
export async function profileValue(
  statistics: TableStatistics,
  value: ProfiledValue,
  known: KnownFigures,
): Promise<ValueProfile> {
  const { records } = statistics;
  const { nulls, first } = known;
  const unique = await statistics.calculated(() => statistics.unique(value));
  const isConstant = unique === 1 && nulls === 0 && records > 1;
  const spread = await statistics.spread(value, known);
  return {
    storedType: storedTypeName(value.type),
    dataType: dataTypeName(value.type),
    records,
    nulls,
    unique,
    ...(isConstant && typeof first[0] === 'string' ? { constant: first[0] } : {}),
    ...spread,
    ...(await profileCategories(statistics, value, { ...known, unique, areDates: typeof spread.dates === 'object' })),
  };
}

async function profileCategories(
  statistics: TableStatistics,
  value: ProfiledValue,
  { distribution, nulls, unique, areDates }: KnownFigures & { readonly unique: Figure; readonly areDates: boolean },
): Promise<{ readonly categories?: CalculatedValue<CategoryProfile> }> {
  const { type } = value;
  const { records } = statistics;
  const isDrawnFromList = distribution === 'categorical';
  if (typeof type === 'object' && !('logical' in type)) return {};
  const isDecimal = isLogical(type) && type.logical === 'decimal';
  if (type === 'float64' || isDecimal || typeof unique !== 'number') return {};
  const areKinds = unique <= MAX_KINDS && (unique <= LISTED || unique * 2 <= records);
  // Among times that nearly all differ, the most frequent one says nothing and takes long to find.
  const areRepeatedDates = areDates && unique * 2 <= records - Number(nulls);
  if (!isDrawnFromList && !areRepeatedDates && (!areKinds || type === 'int64')) return {};
  const limit = isDrawnFromList ? MAX_KINDS : LISTED;
  const categories = await statistics.calculated(() => statistics.categories(value, limit));
  return categories === undefined ? {} : { categories };
}

/** Whether a type is a date, a time or a decimal. */
export function isLogical(type: ArrowType): type is LogicalType {
  return typeof type === 'object' && 'logical' in type;
}

/** A stored type as PyArrow writes it: `list<element: struct<a: int64>>`. */
function storedTypeName(type: ArrowType): string {
  if (typeof type === 'string') return NAMES[type];
  if ('logical' in type) return logicalTypeName(type);
  if ('list' in type) return `list<element: ${storedTypeName(type.list)}>`;
  return `struct<${type.struct.map((member) => `${member.name}: ${storedTypeName(member.type)}`).join(', ')}>`;
}

function logicalTypeName(type: LogicalType): string {
  switch (type.logical) {
    case 'date':
      return 'date32[day]';
    case 'time':
      return `time64[${type.unit}]`;
    case 'timestamp':
      return `timestamp[${type.unit}${type.zoned ? ', tz=UTC' : ''}]`;
    case 'decimal':
      return `decimal128(${type.precision}, ${type.scale})`;
  }
}

/** A stored type in plain words: int, float, string, bool, timestamp, time, date, decimal, `list[…]`, dict. */
function dataTypeName(type: ArrowType): string {
  if (typeof type === 'string') return SIMPLE[type];
  if ('logical' in type) return type.logical;
  return 'list' in type ? `list[${dataTypeName(type.list)}]` : 'dict';
}
