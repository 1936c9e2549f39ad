import type { RequestOf } from '../../api/requests.ts';
import type { Cell } from '../../api/cells.ts';
import type { ColumnInfo } from '../../api/columns.ts';
import type { DataSource } from './data-source.ts';

/** The most characters that one request returns. */
const MAX_CHARACTERS = 1_000_000;

interface RowOptions {
  readonly dataset: string;
  readonly index: number;
  readonly columns: readonly ColumnInfo[];
}

/** A row with its values in full, as JSON holds them; numbers that JSON cannot hold are text. */
export async function fullRow(
  source: DataSource,
  { dataset, index, columns }: RowOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { fields } = await source.ask('record', { dataset, index });
  const nested = new Set(columns.flatMap(({ name, isNested }) => (isNested ? name : [])));
  const entries = fields.map(async ({ column, value }) => {
    if (!isCut(value)) return [column, value] as const;
    if (value.as === 'number') return [column, value.text] as const;
    const text = await fullText(source, { dataset, index, column });
    return [column, nested.has(column) || value.as !== 'text' ? parsed(text) : text] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** All of a text: of a cell, or of a message of a conversation. */
export async function fullText(
  source: DataSource,
  request: Omit<RequestOf<'text'>, 'from' | 'count'>,
  signal?: AbortSignal,
): Promise<string> {
  let text = '';
  for (;;) {
    const page = await source.ask('text', { ...request, from: text.length, count: MAX_CHARACTERS }, signal);
    text += page.text;
    if (page.text === '' || text.length >= page.length) return text;
  }
}

function isCut(value: Cell): value is Exclude<Cell, null | boolean | number | string> {
  return typeof value === 'object' && value !== null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
