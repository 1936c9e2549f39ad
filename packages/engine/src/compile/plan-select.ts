import type { Plan, PlannedSelect } from '@data-designer/core';
import {
  type ColumnFacts,
  type ColumnRegistry,
  type DatasetConfig,
  type Dependencies,
  factsOf,
  type SelectConfig,
  WHERE_COLUMN,
  whereColumn,
} from '@data-designer/config';
import { withWholeBlocks } from './plan-attempts.ts';

/** The facts of the column that decides `select.where`; none without a condition. */
export function whereFacts(select: SelectConfig | undefined, registry: ColumnRegistry): readonly ColumnFacts[] {
  const column = whereColumn(select, registry);
  return column ? [factsOf(column, registry)] : [];
}

/**
 * Lets the columns that `select.where` does not read wait for it, so that the cells of a refused row are not made. With
 * `keep_rejected` refused rows are completed.
 */
export function afterWhere(
  dependencies: readonly Dependencies[],
  facts: readonly ColumnFacts[],
  { select, attempts = [] }: Pick<DatasetConfig, 'select' | 'attempts'>,
): readonly Dependencies[] {
  if (!select?.where || select.keepRejected) return dependencies;
  const byName = new Map(dependencies.map((one) => [one.name, one]));
  const before = new Set<string>();
  const add = (name: string): void => {
    if (before.has(name)) return;
    before.add(name);
    for (const need of byName.get(name)?.needs ?? []) add(need);
  };
  add(WHERE_COLUMN);
  // The columns of a block are made together.
  for (let size = -1; size !== before.size;) {
    size = before.size;
    for (const name of withWholeBlocks(before, attempts)) add(name);
  }
  const filled = new Set(facts.filter(({ type }) => 'fill' in type).map(({ column }) => column.name));
  return dependencies.map((one) =>
    before.has(one.name) || filled.has(one.name) ? one : { ...one, needs: [...one.needs, WHERE_COLUMN] },
  );
}

/** The selection of a plan, and the column that ends refused rows early. */
export function planSelect(select: SelectConfig | undefined): Pick<Plan, 'select' | 'gate'> {
  if (!select) return {};
  const { where, unique, uniqueAgainst, notIn, balance, ...limits } = select;
  const planned: PlannedSelect = {
    where: where === null ? null : WHERE_COLUMN,
    unique: (unique ?? []).map(plannedRule),
    uniqueAgainst: uniqueAgainst ?? [],
    ...(notIn
      ? { notIn: { files: notIn.files, columns: [notIn.column], ngram: notIn.ngram, share: notIn.share } }
      : {}),
    ...(balance ? { balance } : {}),
    ...limits,
  };
  return { select: planned, ...(where !== null && !select.keepRejected ? { gate: WHERE_COLUMN } : {}) };
}

function plannedRule(rule: NonNullable<SelectConfig['unique']>[number]): PlannedSelect['unique'][number] {
  if ('exact' in rule) return { kind: 'exact', columns: rule.exact };
  const { threshold } = rule;
  if ('minhash' in rule) return { kind: 'minhash', columns: rule.minhash, threshold };
  return { kind: 'embedding', column: rule.embedding, threshold };
}
