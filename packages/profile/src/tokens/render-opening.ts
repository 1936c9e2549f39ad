import { type Cell, type CellValue, type Plan, type PlannedColumn, Random } from '@data-designer/core';
import { type ColumnRegistry, typeOf } from '@data-designer/config';
import type { SampledRow } from '../table/sample-rows.ts';

/** Thrown when a cell sends a request to its model; holds the prompt. */
class PromptSeen extends Error {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }
}

/** Renders the first prompt of a column as the run did; undefined for a cell that asks nothing. */
export function openingRenderer(
  { name, config }: PlannedColumn,
  plan: Plan,
  registry: ColumnRegistry,
): ((sampled: SampledRow) => Promise<string | undefined>) | undefined {
  const type = typeOf(config, registry);
  if (!('cell' in type)) return undefined;
  const make = type.cell(config, { templates: plan.templates, constraints: plan.constraints });
  const random = Random.of(plan.seed, name);
  return async ({ position, row }) => {
    try {
      await make(cellAt(position, row, random));
      return undefined;
    } catch (thrown) {
      if (thrown instanceof PromptSeen) return thrown.text;
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
      // NeMo Data Designer counts the empty line even without a system prompt.
      throw new PromptSeen(`${systemPrompt?.() ?? ''}\n\n${prompt()}`);
    },
    embed: reject,
    generateImage: reject,
    keepPicture: reject,
    validate: reject,
    readMedia: reject,
    outside: reject,
    run: reject,
    note: () => {},
  };
}

function reject(): Promise<never> {
  return Promise.reject(new TypeError('Nothing is asked while prompts are counted.'));
}
