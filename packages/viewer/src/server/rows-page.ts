import type { RequestOf } from '../api/requests.ts';
import type { RowsPage } from '../api/table.ts';
import { cutCell, IN_PAGE } from './cut-cell.ts';
import { conversationCell } from './conversation.ts';
import { columnIn, type ShownDataset } from './shown-dataset.ts';

/** A page of rows, each cell cut. Without a choice of columns it leaves out conversations, which may be long. */
export async function rowsPage(
  dataset: ShownDataset,
  { from, count, columns: wanted, filter = {} }: RequestOf<'rows'>,
  signal: AbortSignal,
): Promise<RowsPage> {
  const { columns } = await dataset.plan();
  const names = wanted ?? columns.filter(({ kind }) => kind !== 'trace').map(({ name }) => name);
  const shown = names.map((name) => columnIn(columns, name));
  const rows = await dataset.currentRows();
  const list = await dataset.queries.rowList(filter, signal);
  const { total, version } = list;
  const positions = list.slice(from, from + count);
  const found = await rows.at(positions, names);
  return {
    version,
    total,
    from,
    columns: names,
    rows: found.flatMap((row, at) => {
      const index = positions[at];
      if (row === undefined || index === undefined) return [];
      const cells = shown.map(({ name, shown: as }) =>
        as === 'conversation' ? conversationCell(row[name]) : cutCell(row[name], IN_PAGE),
      );
      return [{ index, cells }];
    }),
  };
}
