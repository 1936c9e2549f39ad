import type { PlannedAttempts, PlannedColumn } from '@data-designer/core';
import {
  attemptFields,
  type AttemptsConfig,
  type ColumnFacts,
  type ColumnRegistry,
  decisionColumn,
  decisionName,
  type Dependencies,
  factsOf,
  keepOf,
} from '@data-designer/config';

/** The columns that blocks of attempts add. */
export interface AttemptFacts {
  /** The hidden columns that decide attempts; no table has them. */
  readonly decisions: readonly ColumnFacts[];
  /** What the blocks write beside their columns. */
  readonly outputs: readonly ColumnFacts[];
}

/** The facts of the columns that blocks of attempts add. */
export function attemptFacts(
  blocks: readonly AttemptsConfig[],
  facts: readonly ColumnFacts[],
  registry: ColumnRegistry,
): AttemptFacts {
  const decisions = blocks.flatMap((block) => {
    const column = decisionColumn(block, registry);
    return column ? [factsOf(column, registry)] : [];
  });
  const type = registry.get('expression');
  const outputs = blocks.flatMap((block): ColumnFacts[] => {
    if (!type) return [];
    const column = { name: block.name, columnType: 'attempts', drop: false } as ColumnFacts['column'];
    const nothing = { templates: [], references: [], skipReferences: [], chats: [] };
    const writes = attemptFields(block, facts);
    return [{ column, type, writes, requires: { models: [], tools: [] }, ...nothing }];
  });
  return { decisions, outputs };
}

/** The columns that are made in the attempts of a block. */
function membersOf(block: AttemptsConfig): readonly string[] {
  return [...block.columns, decisionName(block)];
}

/** Lets a column that reads what a block writes wait for the columns of the block. */
export function afterAttempts(
  dependencies: readonly Dependencies[],
  blocks: readonly AttemptsConfig[],
): readonly Dependencies[] {
  if (blocks.length === 0) return dependencies;
  const byName = new Map(blocks.map((block) => [block.name, block]));
  const known = new Set(dependencies.map(({ name }) => name));
  return dependencies
    .filter(({ name }) => !byName.has(name))
    .map((one) => {
      const needs = one.needs.flatMap((need) => {
        const block = byName.get(need);
        return block ? membersOf(block).filter((name) => known.has(name)) : [need];
      });
      return { ...one, needs: [...new Set(needs)] };
    });
}

/** The blocks that hold some columns, each with all its columns. */
export function withWholeBlocks(names: ReadonlySet<string>, blocks: readonly AttemptsConfig[]): readonly string[] {
  return blocks.filter((block) => membersOf(block).some((name) => names.has(name))).flatMap(membersOf);
}

/** Plans the blocks of attempts over the planned columns. */
export function planAttempts(
  blocks: readonly AttemptsConfig[],
  columns: readonly PlannedColumn[],
  { outputs }: AttemptFacts,
): readonly PlannedAttempts[] {
  return blocks.map((block) => {
    const { name, max, onExhausted } = block;
    const members = new Set(membersOf(block));
    const inside = columns.filter((column) => members.has(column.name)).map((column) => column.name);
    const decision = decisionName(block);
    return {
      name,
      columns: inside,
      decision: inside.includes(decision) ? decision : null,
      keep: keepOf(block),
      max,
      onExhausted,
      writes: outputs.find(({ column }) => column.name === name)?.writes ?? [],
    };
  });
}
