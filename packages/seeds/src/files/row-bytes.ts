import type { TableFormat } from '@data-designer/config';
import { parquetFooter } from './parquet-footer.ts';
import { readHead } from './read-head.ts';

/** How much of a text file is read. */
const HEAD_BYTES = 256 * 1024;
const LINE_END = 0x0a;

/** About how many bytes a row of a readable file holds, by its beginning or its footer; undefined if that does not say. */
export function rowBytesOf(path: string, format: TableFormat): Promise<number | undefined> {
  return format === 'parquet' ? bytesByFooter(path) : bytesByLines(path);
}

async function bytesByLines(path: string): Promise<number | undefined> {
  const { bytes, isWhole } = await readHead(path, HEAD_BYTES);
  const isArray = bytes.subarray(0, 64).toString('latin1').trimStart().startsWith('[');
  const end = bytes.lastIndexOf(LINE_END) + 1;
  // A row that does not end here is at least as long as what was read.
  if (end === 0) return isArray || isWhole ? undefined : bytes.length;
  let lines = 0;
  for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) lines++;
  return end / lines;
}

async function bytesByFooter(path: string): Promise<number | undefined> {
  const { row_groups: groups } = await parquetFooter(path);
  const [group] = groups;
  return group && group.num_rows > 0 ? Number(group.total_byte_size) / Number(group.num_rows) : undefined;
}
