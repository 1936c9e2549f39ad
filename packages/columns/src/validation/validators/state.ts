import type { DeclaredTemplate, Finding } from '@data-designer/core';
import { runFinding } from '../../run-finding.ts';
import { isTemplate } from '@data-designer/template';
import { STATE, stateField, withBraces } from '../state-rules.ts';
import type { StateParams } from '../validator-params.ts';
import { defineValidator, loadedOnce } from './validator.ts';

/** Checks the states that environments left. */
export const state = defineValidator({
  type: 'state',
  field: ({ name, targetColumns }) => stateField(name, targetColumns),
  templates: ({ sameAs, checks }) => [
    ...(sameAs === null ? [] : [ruleTemplate(sameAs, ['sameAs'])]),
    ...checks.flatMap(({ sql, expr, equals }, at) => [
      ...(sql !== undefined && isTemplate(sql) ? [ruleTemplate(sql, ['checks', at, 'sql'], 'expression')] : []),
      ...(expr === undefined ? [] : [ruleTemplate(withBraces(expr), ['checks', at, 'expr'])]),
      ...(typeof equals === 'string' && isTemplate(equals) ? [ruleTemplate(equals, ['checks', at, 'equals'])] : []),
    ]),
  ],
  stateQueries: ({ targetColumns, params }) =>
    params.checks.flatMap(({ name, sql }, at) =>
      sql === undefined || isTemplate(sql)
        ? []
        : [{ states: targetColumns, sql, check: name, field: ['validatorParams', 'checks', at, 'sql'] }],
    ),
  check: ({ targetColumns, params }) => checkRules(targetColumns, params),
  make: ({ targetColumns, params }, setting) => ({
    cell: loadedOnce(async () => {
      const { validateState } = await import('../validate-state.ts');
      return validateState({ targetColumns, ...params }, setting);
    }),
  }),
});

/** A validation without rules would accept every state. */
function checkRules(targetColumns: readonly string[], { checks, sameAs, ignore }: StateParams): Finding[] {
  const mistakes: Finding[] = [];
  if (checks.length === 0 && sameAs === null) {
    const message = 'there are no rules, so that every state would be valid.';
    mistakes.push(runFinding(['validatorParams'], { message, remedy: 'Add checks or same_as.' }));
  }
  const [, expected = ''] = /^\s*\{\{\s*(\w+)\s*\}\}\s*$/.exec(sameAs ?? '') ?? [];
  if (targetColumns.includes(expected)) {
    const message = `the state '${expected}' is compared with itself, so that every state would be valid.`;
    const remedy = 'Name the state of another column, such as one that makes the planned calls.';
    mistakes.push(runFinding(['validatorParams', 'sameAs'], { message, remedy }));
  }
  if (ignore.length > 0 && sameAs === null) {
    const message = "'ignore' has no effect without same_as.";
    mistakes.push(runFinding(['validatorParams', 'ignore'], { message, remedy: 'Remove it, or add same_as.' }));
  }
  return mistakes;
}

/** The name of the state in an expression is no column. */
function ruleTemplate(
  source: string,
  place: readonly (string | number)[],
  role: 'expression' | 'value' = 'value',
): DeclaredTemplate {
  return { source, field: ['validatorParams', ...place], role, known: [STATE] };
}
