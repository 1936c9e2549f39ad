import { type ArrowField, field } from '@data-designer/core';
import { isTemplate } from '@data-designer/template';
import { verdictField } from './target-verdicts.ts';

const DIFFERENCE = {
  struct: [field('check', 'utf8'), field('path', 'utf8'), field('expected', 'utf8'), field('found', 'utf8')],
} as const;
const VERDICT = [field('is_valid', 'bool'), field('differences', { list: DIFFERENCE })] as const;

/** The name under which expressions of checks read the state. */
export const STATE = 'state';

/** The field of a validation of states. */
export function stateField(name: string, targets: readonly string[]): ArrowField {
  return verdictField(name, targets, VERDICT);
}

/** An expression may be written without braces. */
export function withBraces(expression: string): string {
  return isTemplate(expression) ? expression : `{{ ${expression} }}`;
}
