import { type Cell, type CellValue, type ColumnType, type Plan, type PlannedColumn, Random } from '@data-designer/core';
import { type ColumnRegistry, typeOf } from '@data-designer/config';
import type { SampledRow } from '../table/sample-rows.ts';

/** Thrown where a cell asks, to go no further. */
class Asked extends Error {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }
}

/**
 * What a column first asks its model in a row: system prompt, an empty line, and prompt with its instructions, rendered
 * as the run did. The function gives undefined where the cell asks nothing; it throws what templates throw.
 */
export function openingRenderer(
  { name, config }: PlannedColumn,
  plan: Plan,
  registry: ColumnRegistry,
): ((sampled: SampledRow) => Promise<string | undefined>) | undefined {
  const type = typeOf(config, registry) as ColumnType<never>;
  if (!('cell' in type)) return undefined;
  const make = type.cell(config as never, { templates: plan.templates, constraints: plan.constraints });
  const random = Random.of(plan.seed, name);
  return async ({ position, row }) => {
    try {
      await make(cellAt(position, row, random));
      return undefined;
    } catch (thrown) {
      if (thrown instanceof Asked) return thrown.text;
      throw thrown;
    }
  };
}

function cellAt(rowIndex: number, row: Readonly<Record<string, CellValue>>, random: Random): Cell {
  return {
    row,
    rowIndex,
    random: random.copy().at(rowIndex),
    signal: new AbortController().signal,
    ask: ({ prompt, systemPrompt }) => {
      // As NeMo Data Designer counts them, also without a system prompt.
      throw new Asked(`${systemPrompt?.() ?? ''}\n\n${prompt()}`);
    },
    embed: refuse,
    generateImage: refuse,
    keepPicture: refuse,
    validate: refuse,
    readMedia: refuse,
    outside: refuse,
    run: refuse,
    note: () => {},
  };
}

function refuse(): Promise<never> {
  return Promise.reject(new TypeError('Nothing is asked while prompts are counted.'));
}
