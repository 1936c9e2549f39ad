import { type ArrowField, type Cell, type CellValue, field, type Written } from '@data-designer/core';
import type { CodeCheck, CodeVerdict } from './code-check.ts';
import { pythonCheck } from './python-check.ts';
import { sqlCheck } from './sql-check.ts';
import type { SqlDialect } from './sql-parsers.ts';
import type { CheckedLanguage } from './validator-params.ts';

/** The targets and the language of a code validation. */
export interface CodeValidation {
  readonly targetColumns: readonly string[];
  readonly codeLang: CheckedLanguage;
}

/** The field of a code validation: one verdict, or with several targets one per target. */
export function codeField(name: string, { targetColumns, codeLang }: CodeValidation): ArrowField {
  const verdict = { struct: checkOf(codeLang).fields } as const;
  const [only, ...others] = new Set(targetColumns);
  if (only === undefined || others.length === 0) return field(name, verdict);
  return field(name, { struct: [only, ...others].map((target) => field(target, verdict)) });
}

/** Makes the cells of a code validation. */
export function validateCode({ targetColumns, codeLang }: CodeValidation): (cell: Cell) => Promise<Written> {
  const check = checkOf(codeLang);
  const [only, ...others] = new Set(targetColumns);
  let opened: ReturnType<CodeCheck['open']> | undefined;
  return async ({ row }) => {
    const judge = await (opened ??= check.open());
    const verdictOn = (target: string) => judgeCell(row[target] ?? null, { check, judge });
    if (only === undefined || others.length === 0) return [only === undefined ? check.unjudged() : verdictOn(only)];
    return [Object.fromEntries([only, ...others].map((target) => [target, verdictOn(target)]))];
  };
}

function checkOf(codeLang: CheckedLanguage): CodeCheck {
  return codeLang === 'python' ? pythonCheck : sqlCheck(codeLang.slice('sql:'.length) as SqlDialect);
}

/** Null is not judged, and neither is a value other than text. */
function judgeCell(
  code: CellValue,
  { check, judge }: { readonly check: CodeCheck; readonly judge: (code: string) => CodeVerdict },
): CodeVerdict {
  if (code === null) return check.unjudged();
  return typeof code === 'string' ? judge(code) : check.unjudged('the cell holds no text');
}
