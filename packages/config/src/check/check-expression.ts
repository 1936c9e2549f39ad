import type { FieldPath } from '@data-designer/core';
import { compileTemplate, type ParsedTemplate, parseCondition, refuseFilters } from '@data-designer/template';
import { addAt, type Check, has, runError, suggest, templateError, templateFailure } from './check.ts';
import { memberFindings } from './check-members.ts';

/** An expression over the columns of a row. */
interface CheckedExpression {
  readonly expression: string;
  readonly path: FieldPath;
  /** The template in which a run evaluates it. */
  readonly template: string;
}

/** Checks an expression over the columns of a row; returns it if it could be read. */
export function checkExpression(
  check: Check,
  { expression, path, template }: CheckedExpression,
): ParsedTemplate | undefined {
  let parsed: ParsedTemplate | undefined;
  const failure = templateFailure(() => {
    const read = parseCondition(expression);
    refuseFilters(read, check.templates);
    compileTemplate(template, { mode: check.templates, isPortable: false });
    parsed = read;
  });
  if (failure) addAt(check, path, templateError(failure));
  if (!parsed) return undefined;
  for (const told of memberFindings(check, parsed.tree)) addAt(check, path, told);
  for (const name of parsed.references.filter((one) => !has(check, one))) {
    addAt(check, path, runError('unknown_column', `there is no column '${name}'.`, suggest(check, name)));
  }
  return parsed;
}
