import type { ArrowField, Cell, CellValue, WrittenValues } from '@data-designer/core';
import type { CodeCheck, CodeVerdict } from './code-check.ts';
import { pythonCheck } from './python-check.ts';
import { sqlCheck } from './sql-check.ts';
import { verdictCell, verdictField } from './target-verdicts.ts';
import type { SqlDialect } from './sql-parsers.ts';
import type { CheckedLanguage } from './validator-params.ts';

/** The targets and the language of a code validation. */
export interface CodeValidation {
  readonly targetColumns: readonly string[];
  readonly codeLang: CheckedLanguage;
}

/** The field of a code validation. */
export function codeField(name: string, { targetColumns, codeLang }: CodeValidation): ArrowField {
  return verdictField(name, targetColumns, checkOf(codeLang).fields);
}

/** Makes the cells of a code validation. */
export function validateCode({ targetColumns, codeLang }: CodeValidation): (cell: Cell) => Promise<WrittenValues> {
  const check = checkOf(codeLang);
  let opened: ReturnType<CodeCheck['open']> | undefined;
  return async ({ row }) => {
    const judge = await (opened ??= check.open());
    return verdictCell(row, targetColumns, (code) => judgeCell(code, { check, judge }));
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
