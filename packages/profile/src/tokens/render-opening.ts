import { type ColumnRegistry, typeOf } from '@data-designer/config';
import { type Cell, type Plan, type PlannedColumn, Random, type Row } from '@data-designer/core';

/** The first question of a cell to its model. */
export interface Opening {
  readonly prompt: string;
  readonly system: string | null;
}

/**
 * Returns the function that renders the opening of a cell as the run did: it makes the cell up to its question, so that
 * instructions of the column's type are part of it. The function returns undefined for a cell that asks nothing, and rejects
 * with the failure of the cell. Undefined for a column type without cells.
 */
export function openingRenderer(
  { name, config }: PlannedColumn,
  { seed, templates, constraints }: Plan,
  registry: ColumnRegistry,
): ((row: Row, rowIndex: number) => Promise<Opening | undefined>) | undefined {
  const type = typeOf(config, registry);
  if (!('cell' in type)) return undefined;
  const make = type.cell(config, { templates, constraints });
  const random = Random.of(seed, name);
  return async (row, rowIndex) => {
    const { promise: asked, resolve } = Promise.withResolvers<Opening>();
    const cell = askingCell({ row, rowIndex, random: random.copy().at(rowIndex) }, resolve);
    const made = Promise.resolve(make(cell)).then(() => undefined);
    return Promise.race([asked, made]);
  };
}

/** A cell that waits for ever once it has asked its first question: an exception would record a stack for each prompt. */
function askingCell(at: Pick<Cell, 'row' | 'rowIndex' | 'random'>, onAsked: (opening: Opening) => void): Cell {
  const ask = (prompt: () => string, system?: () => string): Promise<never> => {
    onAsked({ prompt: prompt(), system: system?.() ?? null });
    return new Promise(() => {});
  };
  return {
    ...at,
    signal: new AbortController().signal,
    ask: ({ prompt, systemPrompt }) => ask(prompt, systemPrompt),
    generateImage: ({ prompt }) => ask(prompt),
    embed: ({ texts }) => ask(() => texts.join('\n\n')),
    toolSchemas: refuse,
    callTool: refuse,
    keepPicture: refuse,
    validate: refuse,
    runPrograms: refuse,
    readMedia: refuse,
    recordOutcome: refuse,
    run: refuse,
    note: () => {},
  };
}

function refuse(): Promise<never> {
  return Promise.reject(new TypeError('No request is sent while prompts are rendered again.'));
}
