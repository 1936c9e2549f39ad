import { type ArrowField, type ColumnConfig, field } from '@data-designer/core';
import type { ColumnFacts } from './check/column-facts.ts';
import type { ColumnRegistry } from './column-registry.ts';
import { readForm } from './read-form.ts';
import type { AttemptsConfig } from './schemas/attempts-config.ts';

/** The column that decides an attempt of a block: whether it is accepted, or its score. No dataset has it. */
export function decisionName({ name }: Pick<AttemptsConfig, 'name'>): string {
  return `_attempts_${name}`;
}

/** How a block keeps attempts. */
export function keepOf({ keep }: Pick<AttemptsConfig, 'keep'>): 'first' | 'all' | 'best' | 'pair' {
  if (typeof keep === 'string') return keep;
  return 'best' in keep ? 'best' : 'pair';
}

/** The expression that decides an attempt, without braces; undefined where all attempts are kept. */
export function decisionOf({ until, keep }: AttemptsConfig): string | undefined {
  const text = typeof keep === 'string' ? (keep === 'first' ? until : null) : 'best' in keep ? keep.best : keep.pair;
  return text === null ? undefined : withoutBraces(text);
}

/** The expression column that decides the attempts of a block; undefined where all are kept. */
export function decisionColumn(block: AttemptsConfig, registry: ColumnRegistry): ColumnConfig | undefined {
  const type = registry.get('expression');
  const expression = decisionOf(block);
  if (expression === undefined || !type) return undefined;
  const decides = block.keep === 'first';
  const column = {
    name: decisionName(block),
    column_type: 'expression',
    expr: decisionTemplate(block, expression),
    dtype: decides ? 'str' : 'float',
    // A condition may say what a skipped cell means; an attempt without the cells of its score has none.
    propagate_skip: !decides,
  };
  return type.schema.parse(readForm(type.schema, column)) as unknown as ColumnConfig;
}

/**
 * The expression that decides an attempt as a template: a score, or for a condition True, False, or the value that is
 * neither.
 */
export function decisionTemplate({ keep }: Pick<AttemptsConfig, 'keep'>, until: string): string {
  if (keep !== 'first') return `{{ ${until} }}`;
  return `{% if not (${until}) %}False{% elif (${until}) == true %}True{% else %}{{ ${until} }}{% endif %}`;
}

/** The condition in a template of `decisionTemplate`; undefined for a score. */
export function untilIn(template: string): string | undefined {
  return /^\{% if not \((.*?)\) %\}False\{% elif/s.exec(template)?.[1];
}

/** The fields that a block writes beside its columns. */
export function attemptFields(
  { name, columns, keep }: AttemptsConfig,
  facts: readonly Pick<ColumnFacts, 'column' | 'writes'>[],
): readonly ArrowField[] {
  const inside = facts
    .filter(({ column }) => columns.includes(column.name))
    .flatMap(({ column, writes }) => writes.filter((one) => !column.drop || one.name !== column.name));
  const count = field(`${name}__attempts`, 'int64');
  if (keep === 'first') return [count];
  if (keep === 'all') return [count, field(`${name}__all`, { list: { struct: inside } })];
  // A column of that name has the score already, or what it comes from.
  const own = inside.some(({ name: one }) => one === 'score') ? [] : [field('score', 'float64')];
  const scored = { struct: [...inside, ...own] };
  const score = field(`${name}__score`, 'float64');
  if ('best' in keep) return [count, score];
  return [count, score, field(`${name}__chosen`, scored), field(`${name}__rejected`, scored)];
}

/** `{{ x }}` and `x` mean the same, as in conditions. */
function withoutBraces(text: string): string {
  const [, inner] = /^\s*\{\{(.*)\}\}\s*$/s.exec(text) ?? [];
  return inner === undefined || inner.includes('}}') ? text : inner.trim();
}
