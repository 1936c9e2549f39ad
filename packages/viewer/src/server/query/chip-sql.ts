import { quotedText } from '@data-designer/seeds/duck-db';
import type { ColumnInfo } from '../../api/columns.ts';
import { valueSql } from './condition-sql.ts';

/** Texts and names in quotation marks, whose content is no SQL. */
const QUOTED = /('(?:[^']|'')*'|"(?:[^"]|"")*")/;

const SIGNS: Readonly<Record<string, string>> = { '≤': '<=', '≥': '>=', '≠': '<>' };

/** SQL of a condition that may name scores and signs as the chips of the table do: `grade.Clarity ≤ 3`. */
export function chipSql(sql: string, scores: readonly ColumnInfo[], columns: readonly ColumnInfo[]): string {
  const parts = sql.replaceAll(/“([^”]*)”/g, (_, text: string) => quotedText(text)).split(QUOTED);
  return parts
    .map((part, at) => {
      if (at % 2 === 1) return part;
      let text = part.replaceAll(/[≤≥≠]/g, (sign) => SIGNS[sign] ?? sign);
      for (const { name, member } of scores) {
        const column = member && columns.find((one) => one.name === member.column);
        if (!column) continue;
        const value = valueSql(column, member.path);
        // Scores are stored as text, also those that are numbers.
        text = text.replaceAll(scorePattern(name, 'number'), () => `TRY_CAST(${value} AS DOUBLE)`);
        text = text.replaceAll(scorePattern(name, 'any'), () => value);
      }
      return text;
    })
    .join('');
}

const COMPARISON = String.raw`\s*(?:<=|>=|<>|!=|=|<|>)\s*`;
const WITH_NUMBER = String.raw`(?=${COMPARISON}[-+.\d]|\s+(?:not\s+)?(?:between\s+|in\s*\(\s*)[-+.\d])`;

/** The name of a score that is no part of a longer name: where it is compared with a number, or anywhere. */
function scorePattern(name: string, where: 'number' | 'any'): RegExp {
  const whole = String.raw`(?<![\w.])${escaped(name)}(?![\w.(])`;
  return new RegExp(where === 'number' ? `${whole}${WITH_NUMBER}` : whole, 'giu');
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
}
