import type { ArrowField } from '@data-designer/core';
import { quotedName } from '@data-designer/seeds';
import { type Figure, NOT_CALCULATED } from '../dataset-profile.ts';
import { jsonSql } from '../table/json-sql.ts';
import type { ProfiledTable } from '../table/profiled-table.ts';

/**
 * How many cells of a validation column say `is_valid`, each of their targets where there are several; the mark where one
 * says something that is neither true nor false. A cell that is null is not valid.
 */
export async function countValid(table: ProfiledTable, { name }: ArrowField): Promise<Figure> {
  const own = `json_extract_string(cell, '/is_valid')`;
  const nested = `json_extract_string(cell, '$.*.is_valid')`;
  const said = `CASE WHEN json_exists(cell, '/is_valid') THEN [${own}] ELSE ${nested} END`;
  const cells = `SELECT list_transform(${said}, lambda x: lower(coalesce(x, 'false'))) AS said
    FROM (SELECT ${jsonSql(quotedName(name))} AS cell FROM t WHERE ${quotedName(name)} IS NOT NULL)`;
  const isTrue = `x IN ('true', '1', '1.0')`;
  const isKnown = `x IN ('true', '1', '1.0', 'false', '0', '0.0')`;
  const [valid, unknown] = await table.row(
    `SELECT count(*) FILTER (len(said) > 0 AND len(list_filter(said, lambda x: ${isTrue})) = len(said)),
      count(*) FILTER (len(said) = 0 OR len(list_filter(said, lambda x: ${isKnown})) < len(said)) FROM (${cells})`,
  );
  return Number(unknown) > 0 ? NOT_CALCULATED : Number(valid);
}
