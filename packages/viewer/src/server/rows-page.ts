import type { RequestOf } from '../api/requests.ts';
import type { RowOrder, RowsPage } from '../api/table.ts';
import type { Media } from '../api/cells.ts';
import { cellTexts } from '../cell-texts.ts';
import { hitsIn, pageCell } from './conversation.ts';
import { mediaIn, mediaKinds } from './record/media.ts';
import { columnIn, type ShownDataset } from './shown-dataset.ts';

/** A page of rows, each cell cut. Without a choice of columns it leaves out conversations, which may be long. */
export async function rowsPage(
  dataset: ShownDataset,
  { from, count, columns: wanted, filter = {} }: RequestOf<'rows'>,
  signal: AbortSignal,
): Promise<RowsPage> {
  const { columns, scores, plan } = await dataset.plan();
  const names = wanted ?? columns.filter(({ kind }) => kind !== 'trace').map(({ name }) => name);
  const shown = names.map((name) => scores.find((score) => score.name === name) ?? columnIn(columns, name));
  const read = [...new Set(shown.map(({ name, member }) => member?.column ?? name))];
  const rows = await dataset.currentRows();
  const list = await dataset.queries.rowList(filter, signal);
  const { total, version } = list;
  const positions = list.slice(from, from + count);
  const { search } = filter;
  // A text is looked for in all columns, as the filter does.
  const found = await rows.at(positions, search ? columns.map(({ name }) => name) : read);
  const kinds = mediaKinds(plan, shown);
  const texts = cellTexts(plan.fields);
  return {
    version,
    total,
    from,
    columns: names,
    rows: found.flatMap((row, at) => {
      const index = positions[at];
      if (row === undefined || index === undefined) return [];
      const cells = shown.map((column) => pageCell(column, row));
      const media = mediaOfRow(row, kinds, { dataset: dataset.entry.id, index });
      return [
        { index, cells, ...(search && { hits: hitsIn(row, search, { columns, texts }) }), ...(media && { media }) },
      ];
    }),
  };
}

function mediaOfRow(
  row: Readonly<Record<string, unknown>>,
  kinds: ReturnType<typeof mediaKinds>,
  place: { readonly dataset: string; readonly index: number },
): Readonly<Record<string, readonly Media[]>> | undefined {
  const found = Array.from(
    kinds,
    ([column, kind]) => [column, mediaIn(row[column], kind, { ...place, column })] as const,
  );
  const shown = found.filter(([, media]) => media.length > 0);
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

/** The rows of a filter around one of them. */
export async function rowOrder(
  dataset: ShownDataset,
  { filter = {}, index, before, after }: RequestOf<'order'>,
  signal: AbortSignal,
): Promise<RowOrder> {
  const list = await dataset.queries.rowList(filter, signal);
  const { total, version } = list;
  const place = list.placeOf(index);
  const from = Math.max(0, (place ?? 0) - before);
  return { version, total, from, indexes: place === null ? [] : list.slice(from, place + after + 1) };
}
