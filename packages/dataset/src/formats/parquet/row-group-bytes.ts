import type { RowGroup } from 'hyparquet';
import type { GroupSpan } from '../../dataset-paths.ts';
import { type ByteRange, groupNumbers } from '../../files/file-sum.ts';
import type { LocatedGroup } from '../dataset-format.ts';

/** A column chunk of a row group. */
export type Chunk = NonNullable<RowGroup['columns'][number]['meta_data']>;

/** A chunk begins with its dictionary if it has one. */
function chunkStart({ dictionary_page_offset: dictionary, data_page_offset: data }: Chunk): number {
  return Number(dictionary !== undefined && dictionary > 0n && dictionary < data ? dictionary : data);
}

/** The byte range of the pages of consecutive row groups; empty for groups without pages. */
export function bytesOf(groups: readonly RowGroup[]): ByteRange {
  const chunks = groups.flatMap(({ columns }) => columns.flatMap(({ meta_data: chunk }) => chunk ?? []));
  if (chunks.length === 0) return { from: 0, to: 0 };
  let [from, to] = [Infinity, 0];
  for (const chunk of chunks) {
    const start = chunkStart(chunk);
    from = Math.min(from, start);
    to = Math.max(to, start + Number(chunk.total_compressed_size));
  }
  return { from, to };
}

/** The row groups of a file without recorded positions. */
export function locateGroups(rowGroups: readonly RowGroup[], { first, last }: GroupSpan): readonly LocatedGroup[] {
  if (rowGroups.length !== last - first + 1) {
    const rows = rowGroups.reduce((sum, { num_rows: more }) => sum + Number(more), 0);
    return [{ ...groupNumbers({ first, last }), ...bytesOf(rowGroups), rows }];
  }
  return rowGroups.map((one, index) => ({ group: first + index, ...bytesOf([one]), rows: Number(one.num_rows) }));
}
