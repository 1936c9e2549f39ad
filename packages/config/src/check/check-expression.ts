import { DataDesignerError, type FieldPath } from '@data-designer/core';
import { compileTemplate, type ParsedTemplate, parseCondition } from '@data-designer/template';
import { whereTemplate } from '../where-column.ts';
import { addAt, type Check, has, runError, suggest, templateError } from './check.ts';
import { memberFindings } from './check-members.ts';

/** Checks an expression over the columns of a row; returns it if it could be read. */
export function checkExpression(check: Check, expression: string, path: FieldPath): ParsedTemplate | undefined {
  try {
    const parsed = parseCondition(expression);
    compileTemplate(whereTemplate(expression), { mode: check.templates });
    for (const told of memberFindings(check, parsed.tree)) addAt(check, path, told);
    for (const name of parsed.references.filter((one) => !has(check, one))) {
      addAt(check, path, runError('unknown_column', `there is no column '${name}'.`, suggest(check, name)));
    }
    return parsed;
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (!failure.code.startsWith('template/')) throw failure;
    addAt(check, path, templateError(failure));
    return undefined;
  }
}
