import type { Finding, Surroundings } from '@data-designer/core';

/** A text that begins like an expression over a column: its name alone, or with an operator after it. */
const BEGINS_WITH_NAME = /^\s*(?<name>[A-Za-z_]\w*)\s*(?:$|[.[|+*/%<>=!-]|(?:if|and|or|in|is|not)\b)/;

/** A warning for an expression over columns without braces, which gives each row the text as it stands. */
export function missingBraces({ expr }: { readonly expr: string }, { has }: Pick<Surroundings, 'has'>): Finding[] {
  const name = /\{[{%#]/.test(expr) ? undefined : BEGINS_WITH_NAME.exec(expr)?.groups?.['name'];
  if (name === undefined || !has(name)) return [];
  const text = expr.trim();
  return [
    {
      stage: 'run',
      field: ['expr'],
      type: 'constant_expression',
      level: 'WARNING',
      message: `'${text}' has no braces, so each row gets this text and not the value of '${name}'.`,
      remedy: `Write '{{ ${text} }}'.`,
    },
  ];
}
