import { isMapping } from '@data-designer/config';
import type { ArrowField, PlannedColumn } from '@data-designer/core';
import { quotedName, quotedText } from '@data-designer/seeds/duck-db';
import type { JudgeProfile, ScoreDistribution, ScoreProfile } from '../dataset-profile.ts';
import { profileNumbers } from './number-profile.ts';
import { jsonSql, type ProfiledTable } from '../table/profiled-table.ts';

const MAX_OPTIONS = 100;

/** The names of a judge's scores; undefined for other columns. */
export function scoresOf({ config }: PlannedColumn): readonly string[] | undefined {
  const scores: unknown = 'scores' in config ? config.scores : undefined;
  return Array.isArray(scores) ? scores.filter(isMapping).map(({ name }) => String(name)) : undefined;
}

/** The distribution of each score of a judge column; a score is marked if a cell has none or no reason for it. */
export async function profileJudge(
  table: ProfiledTable,
  field: ArrowField,
  scores: readonly string[],
): Promise<JudgeProfile> {
  const profiles: ScoreProfile[] = [];
  for (const score of scores) {
    const distribution = await table.calculated(() => distributionOf(table, scoredSql(field, score)));
    profiles.push({ column: field.name, score, distribution });
  }
  return { column: field.name, scores: profiles };
}

/** SQL of a score's cells as `position`, `score` and `reasoning`, in order, without null cells. */
export function scoredSql({ name }: ArrowField, score: string): string {
  const pointer = `/${score.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const part = (key: string) => `json_extract_string(cell, ${quotedText(`${pointer}/${key}`)})`;
  const rows = `SELECT row_number() OVER () - 1 AS position, ${quotedName(name)} AS judged FROM t`;
  const cells = `SELECT position, ${jsonSql('judged')} AS cell FROM (${rows}) WHERE judged IS NOT NULL`;
  return `(SELECT position, ${part('score')} AS score, ${part('reasoning')} AS reasoning FROM (${cells}))`;
}

async function distributionOf(table: ProfiledTable, scored: string): Promise<ScoreDistribution> {
  const [records, malformed, others] = await table.row(
    `SELECT count(*), count(*) FILTER (score IS NULL OR reasoning IS NULL),
      count(*) FILTER (TRY_CAST(score AS BIGINT) IS NULL OR NOT regexp_matches(score, '^\\s*[-+]?\\d+\\s*$')) FROM ${scored}`,
  );
  if (Number(malformed) > 0) throw new TypeError('A cell has no score or no reason for it.');
  const rows = await table.rows(
    `SELECT score, count(*) AS n FROM ${scored} GROUP BY score ORDER BY n DESC, score LIMIT ${MAX_OPTIONS}`,
  );
  const areNumbers = Number(others) === 0;
  const numbers = areNumbers
    ? await profileNumbers(table, { expression: 'score', from: scored, areWhole: true })
    : undefined;
  return {
    records: Number(records),
    options: rows.map(([value, count]) => ({ value: String(value).slice(0, 200), records: Number(count) })),
    numbers: numbers ?? null,
  };
}
