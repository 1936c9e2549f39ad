import { open } from 'node:fs/promises';
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
  type RowGroup,
} from 'hyparquet';
import type { ArrowField, CellValue, ColumnData, GroupColumns, PlannedTable, RowRange } from '@data-designer/core';
import { damagedFile } from '@data-designer/dataset';
import { pageDecompressors } from '@data-designer/dataset/parquet';
import { columnDecoder, type DecodeColumn } from './decode-column.ts';
import { type ColumnPart, joinColumns, repeated } from './join-columns.ts';
import type { TableFile } from './table-source.ts';

/** A row group of a table's file and the positions of its rows. */
interface LocatedGroup {
  readonly first: number;
  readonly end: number;
  readonly group: RowGroup;
}

/** The rows of a row group from one position up to another, exclusive. */
interface Piece {
  readonly columns: readonly ColumnData[];
  readonly from: number;
  readonly to: number;
}

interface OpenFile {
  readonly metadata: FileMetaData;
  readonly groups: readonly LocatedGroup[];
  readonly columns: readonly { readonly stored: string; readonly decode: DecodeColumn }[];
}

/** Decoded row groups in memory: ranges are read in order, and consecutive ones often share a row group. */
const CACHED_GROUPS = 1;

/** Reads a table's rows for ranges of a run, a row group of the file at a time. Throws `dataset/damaged`. */
export class TableReader {
  readonly #table: PlannedTable;
  readonly #file: TableFile;
  readonly #cached = new Map<LocatedGroup, Promise<readonly ColumnData[]>>();
  #opened: Promise<OpenFile> | undefined;

  constructor(table: PlannedTable, file: TableFile) {
    this.#table = table;
    this.#file = file;
  }

  /** The rows of a range of the run, by column; the rows start again after the last one. */
  async read({ firstRow, rows }: RowRange): Promise<ReadonlyMap<string, ColumnData>> {
    const { rows: all } = this.#file;
    const first = firstRow % all;
    if (rows > all) {
      const whole = await this.#columns({ firstRow: 0, rows: all });
      return new Map([...whole].map(([name, data]) => [name, repeated(data, first, rows)]));
    }
    return this.#columns({ firstRow: first, rows });
  }

  /** At most as many rows as there are. */
  async #columns(range: RowRange): Promise<ReadonlyMap<string, ColumnData>> {
    const { fields } = this.#table;
    const parts: ColumnPart[][] = fields.map(() => []);
    for await (const { columns, from, to } of this.#pieces(range)) {
      columns.forEach((data, index) => parts[index]?.push({ data, from, to }));
    }
    return new Map(fields.map(({ name }, index) => [name, joinColumns(parts[index] ?? [])]));
  }

  async *#pieces({ firstRow, rows }: RowRange): AsyncGenerator<Piece> {
    const { groups } = await this.#open();
    let at = firstRow;
    for (let left = rows; left > 0;) {
      const located = groups.find(({ first, end }) => at >= first && at < end);
      if (!located) throw damagedFile(this.#file.path, new Error(`it has no row ${at}`));
      const to = Math.min(located.end, at + left);
      yield { columns: await this.#decoded(located), from: at - located.first, to: to - located.first };
      left -= to - at;
      at = to % this.#file.rows;
    }
  }

  /** The columns of a row group, which several ranges may request at the same time. */
  #decoded(located: LocatedGroup): Promise<readonly ColumnData[]> {
    const known = this.#cached.get(located);
    // The most recently used group is last.
    this.#cached.delete(located);
    const columns = known ?? this.#decode(located);
    this.#cached.set(located, columns);
    for (const old of [...this.#cached.keys()].slice(0, -CACHED_GROUPS)) this.#cached.delete(old);
    columns.catch(() => this.#cached.delete(located));
    return columns;
  }

  async #decode({ first, end, group }: LocatedGroup): Promise<readonly ColumnData[]> {
    const { metadata, columns } = await this.#open();
    return this.#withFile(async (file) => {
      const part = { ...metadata, row_groups: [group] };
      const scan = await parquetScan({ file, metadata: part, compressors: pageDecompressors });
      const decoded: ColumnData[] = [];
      for (const { stored, decode } of columns) {
        decoded.push(decode(await scan.readColumn({ column: stored, rowStart: 0, rowEnd: end - first })));
      }
      return decoded;
    });
  }

  #open(): Promise<OpenFile> {
    this.#opened ??= this.#withFile(async (file) => {
      const metadata = await parquetMetadataAsync(file);
      const { children } = parquetSchema(metadata);
      if (children.length !== this.#table.fields.length) throw new Error(`it has ${children.length} columns`);
      const columns = this.#table.fields.map((field, index) => {
        const tree = children[index] as (typeof children)[number];
        return { stored: tree.element.name, decode: columnDecoder(field, tree) };
      });
      return { metadata, columns, groups: locateGroups(metadata, this.#file.rows) };
    });
    return this.#opened;
  }

  /** The file does not stay open: it may be replaced between two ranges. */
  async #withFile<Result>(use: (file: AsyncBuffer) => Promise<Result>): Promise<Result> {
    try {
      await using handle = await open(this.#file.path);
      const { size } = await handle.stat();
      return await use({
        byteLength: size,
        slice: async (start, end = size) => {
          const bytes = new Uint8Array(end - start);
          await handle.read(bytes, 0, bytes.length, start);
          return bytes.buffer;
        },
      });
    } catch (thrown) {
      throw damagedFile(this.#file.path, thrown);
    }
  }
}

/** The row groups of a file, up to the given number of rows. */
function locateGroups({ row_groups: groups }: FileMetaData, rows: number): LocatedGroup[] {
  let first = 0;
  const located: LocatedGroup[] = [];
  for (const group of groups) {
    const end = Math.min(rows, first + Number(group.num_rows));
    if (end > first) located.push({ first, end, group });
    first += Number(group.num_rows);
  }
  return located;
}

/** A table in a file. */
export interface TableInFile {
  readonly path: string;
  readonly fields: readonly ArrowField[];
  readonly rows: number;
}

/** The rows of a table's file, in order, with a chunk of rows in memory at a time. */
export async function* rowsInFile(
  { path, fields, rows }: TableInFile,
  chunkRows: number,
): AsyncGenerator<readonly (CellValue | undefined)[]> {
  const reader = new TableReader({ id: path, fields }, { id: path, path, rows });
  for (let firstRow = 0; firstRow < rows; firstRow += chunkRows) {
    const count = Math.min(chunkRows, rows - firstRow);
    const columns = [...(await reader.read({ firstRow, rows: count })).values()];
    for (let row = 0; row < count; row++) yield columns.map((column) => column[row]);
  }
}

/** Reads the rows of all tables of a run that belong to a range. */
export type TablesReader = (range: RowRange) => Promise<GroupColumns['tables']>;

/** Opens the tables of a run. */
export function tablesReader(tables: readonly PlannedTable[], files: readonly TableFile[]): TablesReader {
  const readers = tables.flatMap((table) => {
    const file = files.find(({ id }) => id === table.id);
    return file ? [[table.id, new TableReader(table, file)] as const] : [];
  });
  return async (range) =>
    new Map(await Promise.all(readers.map(async ([id, reader]) => [id, await reader.read(range)] as const)));
}
