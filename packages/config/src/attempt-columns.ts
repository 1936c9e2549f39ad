import { type ArrowField, type ColumnConfig, field } from '@data-designer/core';
import type { ColumnFacts } from './check/column-facts.ts';
import type { ColumnRegistry } from './column-registry.ts';
import { readForm } from './read-form.ts';
import type { AttemptsConfig } from './schemas/attempts-config.ts';
import { whereTemplate } from './where-column.ts';

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
    expr: decides ? whereTemplate(expression) : `{{ ${expression} }}`,
    dtype: decides ? 'bool' : 'float',
  };
  return type.schema.parse(readForm(type.schema, column)) as unknown as ColumnConfig;
}

/** The fields that a block writes beside its columns. */
export function attemptFields(
  { name, columns, keep }: AttemptsConfig,
  facts: readonly Pick<ColumnFacts, 'column' | 'writes'>[],
): readonly ArrowField[] {
  const inside = facts.filter(({ column }) => columns.includes(column.name)).flatMap(({ writes }) => writes);
  const count = field(`${name}__attempts`, 'int64');
  if (keep === 'first') return [count];
  if (keep === 'all') return [count, field(`${name}__all`, { list: { struct: inside } })];
  const scored = { struct: [...inside, field('score', 'float64')] };
  const score = field(`${name}__score`, 'float64');
  if ('best' in keep) return [count, score];
  return [count, score, field(`${name}__chosen`, scored), field(`${name}__rejected`, scored)];
}

/** `{{ x }}` and `x` mean the same, as in conditions. */
function withoutBraces(text: string): string {
  const [, inner] = /^\s*\{\{(.*)\}\}\s*$/s.exec(text) ?? [];
  return inner === undefined || inner.includes('}}') ? text : inner.trim();
}
