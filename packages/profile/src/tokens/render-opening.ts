import { type ColumnRegistry, typeOf } from '@data-designer/config';
import { type Cell, type Plan, type PlannedColumn, Random, type Row } from '@data-designer/core';

/** The first question of a cell to its model. */
export interface Opening {
  readonly prompt: string;
  readonly system: string | null;
}

/** Thrown to end a cell once it has asked its question. */
class Asked extends Error {
  readonly opening: Opening;

  constructor(opening: Opening) {
    super();
    this.opening = opening;
  }
}

/**
 * Returns the function that renders the opening of a cell as the run did: it makes the cell up to its question, so that
 * instructions of the column's type are part of it. The function returns undefined for a cell that asks nothing, and rejects
 * with the failure of the cell. Undefined for a column type without cells.
 */
export function openingRenderer(
  { name, config, writes }: PlannedColumn,
  { seed, templates, constraints }: Plan,
  registry: ColumnRegistry,
): ((row: Row, rowIndex: number) => Promise<Opening | undefined>) | undefined {
  const type = typeOf(config, registry);
  if (!('cell' in type)) return undefined;
  const make = type.cell(config, { templates, constraints, writes });
  const random = Random.of(seed, name);
  return async (row, rowIndex) => {
    try {
      await make(askingCell(row, rowIndex, random));
      return undefined;
    } catch (thrown) {
      if (thrown instanceof Asked) return thrown.opening;
      throw thrown;
    }
  };
}

/** A cell that ends with its first question. */
function askingCell(row: Row, rowIndex: number, random: Random): Cell {
  return {
    row,
    rowIndex,
    random: random.copy().at(rowIndex),
    signal: new AbortController().signal,
    ask: ({ prompt, systemPrompt }) => end(prompt, systemPrompt),
    generateImage: ({ prompt }) => end(prompt),
    embed: ({ texts }) => end(() => texts.join('\n\n')),
    keepPicture: refuse,
    validate: refuse,
    readMedia: refuse,
    outside: refuse,
    run: refuse,
    note: () => {},
  };
}

function end(prompt: () => string, system?: () => string): never {
  throw new Asked({ prompt: prompt(), system: system?.() ?? null });
}

function refuse(): Promise<never> {
  return Promise.reject(new TypeError('No request is sent while prompts are rendered again.'));
}
