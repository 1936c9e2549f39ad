import type { ArrowField, Distribution, PlannedColumn } from '@data-designer/core';
import { quotedName } from '@data-designer/seeds';
import { profileCategories } from './category-profile.ts';
import type { Calculated, CategoryProfile, ColumnProfile, Figure } from '../dataset-profile.ts';
import { countValid } from './count-valid.ts';
import { profileNumbers } from './number-profile.ts';
import type { ProfiledTable } from '../table/profiled-table.ts';
import { dataTypeName, storedTypeName } from './stored-type.ts';
import { uniqueKeySql } from './unique-key.ts';

/** Values with more kinds than this are no categories, unless the column draws from a list. */
const MAX_KINDS = 1000;
/** Categories that are listed; of a column that draws from a list, all of them up to `MAX_KINDS`. */
const LISTED = 30;

/** What was counted of a column before. */
export interface CountedColumn {
  readonly field: ArrowField;
  readonly column: PlannedColumn;
  /** How statistics describe its values; undefined if they are not drawn. */
  readonly distribution: Distribution | undefined;
  readonly records: number;
  readonly nulls: Figure;
}

/** What is known of one column; what fails is marked, and costs nothing else. */
export async function profileColumn(table: ProfiledTable, counted: CountedColumn): Promise<ColumnProfile> {
  const { field, column, records, nulls, distribution } = counted;
  const config = column.config as { readonly columnType: string; readonly samplerType?: string };
  const unique = await table.calculated(() => countUnique(table, field));
  const isValidation = 'validatorType' in config;
  return {
    name: column.name,
    columnType: config.columnType,
    ...(config.samplerType === undefined ? {} : { samplerType: config.samplerType }),
    ...(distribution === undefined ? {} : { distribution }),
    storedType: storedTypeName(field.type),
    dataType: dataTypeName(field.type),
    records,
    nulls,
    unique,
    ...(await profileNumbersOf(table, field)),
    ...(await profileCategoriesOf(table, { ...counted, unique })),
    ...(isValidation ? { valid: await table.calculated(() => countValid(table, field)) } : {}),
  };
}

async function countUnique(table: ProfiledTable, field: ArrowField): Promise<number> {
  const groups = `SELECT ${uniqueKeySql(field)} AS k FROM t WHERE ${quotedName(field.name)} IS NOT NULL GROUP BY 1`;
  return Number((await table.row(`SELECT count(*) FROM (${groups})`))[0]);
}

/** The spread of numbers, or of the lengths of texts. */
async function profileNumbersOf(
  table: ProfiledTable,
  { name, type, json }: ArrowField,
): Promise<Pick<ColumnProfile, 'numbers' | 'lengths'>> {
  const column = quotedName(name);
  if (type === 'int64' || type === 'float64') {
    const areWhole = type === 'int64';
    const numbers = await table.calculated(() => profileNumbers(table, { expression: column, areWhole }));
    return numbers === undefined ? {} : { numbers };
  }
  if (type !== 'utf8' || json === true) return {};
  const expression = `length(${column})`;
  const lengths = await table.calculated(() => profileNumbers(table, { expression, areWhole: true }));
  return lengths === undefined ? {} : { lengths };
}

async function profileCategoriesOf(
  table: ProfiledTable,
  { field, distribution, records, unique }: CountedColumn & { readonly unique: Figure },
): Promise<{ readonly categories?: Calculated<CategoryProfile> }> {
  const isDrawnFromList = distribution === 'categorical';
  const { type } = field;
  if (typeof type !== 'string' || type === 'float64' || typeof unique !== 'number') return {};
  const areKinds = unique <= MAX_KINDS && (unique <= LISTED || unique * 2 <= records);
  if (!isDrawnFromList && (!areKinds || type === 'int64')) return {};
  const text = `CAST(${quotedName(field.name)} AS VARCHAR)`;
  const limit = isDrawnFromList ? MAX_KINDS : LISTED;
  const categories = await table.calculated(() => profileCategories(table, { text, key: uniqueKeySql(field), limit }));
  return categories === undefined ? {} : { categories };
}
