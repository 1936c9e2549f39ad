import type { FieldPath } from '@data-designer/core';
import {
  compileTemplate,
  findMistakes,
  type ParsedTemplate,
  parseCondition,
  positionOfName,
} from '@data-designer/template';
import { addAt, type Check, has, placed, runError, suggest, templateError, templateFailure } from './check.ts';
import { memberFindings } from './check-members.ts';

/** An expression over the columns of a row. */
interface CheckedExpression {
  readonly expression: string;
  readonly path: FieldPath;
  /** The template in which a run evaluates it. */
  readonly template: string;
  /** Whether a row is of no use where a member is missing: what is a warning elsewhere is an error. */
  readonly needsMembers?: boolean;
}

const BARE_CONDITIONAL = runError(
  'bare_conditional',
  "the expression has 'if' outside parentheses.",
  'Write parentheses around it, as in (a if b else c).',
);

/** Checks an expression over the columns of a row; returns it if it could be read. */
export function checkExpression(
  check: Check,
  { expression, path, template, needsMembers = false }: CheckedExpression,
): ParsedTemplate | undefined {
  let parsed: ParsedTemplate | undefined;
  let isTold = false;
  const failure = templateFailure(() => {
    const read = parseCondition(expression);
    if (read.expression.kind === 'conditional' && template.startsWith('{%')) {
      addAt(check, path, BARE_CONDITIONAL);
      isTold = true;
    }
    for (const { failure: mistake, at } of findMistakes(read, check.templates)) {
      addAt(check, path, { ...templateError(mistake), ...placed(at) });
      isTold = true;
    }
    if (isTold) return;
    compileTemplate(template, { mode: check.templates, isPortable: false });
    parsed = read;
  });
  if (failure) addAt(check, path, templateError(failure));
  if (!parsed) return undefined;
  const { tree, references } = parsed;
  for (const told of memberFindings(check, tree)) addAt(check, path, needsMembers ? { ...told, level: 'ERROR' } : told);
  for (const name of references.filter((one) => !has(check, one))) {
    const error = runError('unknown_column', `there is no column '${name}'.`, suggest(check, name, { isRead: true }));
    addAt(check, path, { ...error, ...placed(positionOfName(parsed, name)) });
  }
  return parsed;
}
