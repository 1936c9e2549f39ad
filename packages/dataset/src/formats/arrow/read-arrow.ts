import { type RecordBatch, Table } from 'apache-arrow';
import type { GroupSpan } from '../../dataset-paths.ts';
import type { PlainRow } from '../../encode/decode-row.ts';
import { tableRows } from '../../encode/decode-table.ts';
import { orDamaged } from '../../files/damaged-file.ts';
import type { DecodedGroups, RowAccess, RowBlock, TableReader } from '../dataset-format.ts';
import { runsOf } from '../position-runs.ts';
import { arrowBatches, arrowFooter, locateGroups, rowsOfBlocks } from './arrow-file.ts';

/** Reads the Arrow files of a dataset. */
export const arrowReader: TableReader = { readBlocks, rowsAt, countRows, openRows, recordBatches, checkGroups };

async function* recordBatches(path: string): AsyncGenerator<RecordBatch> {
  for await (const { batch } of arrowBatches(path)) yield batch;
}

async function* readBlocks(path: string, skip: number): AsyncGenerator<readonly PlainRow[]> {
  let left = skip;
  for await (const batch of recordBatches(path)) {
    yield await decodedRows(new Table(batch).slice(Math.min(left, batch.numRows)), path);
    left = Math.max(0, left - batch.numRows);
  }
}

async function rowsAt(path: string, position: number): Promise<RowBlock | undefined> {
  let first = 0;
  for await (const batch of recordBatches(path)) {
    if (position < first + batch.numRows) return { first, rows: await decodedRows(new Table(batch), path) };
    first += batch.numRows;
  }
  return undefined;
}

async function countRows(path: string): Promise<number> {
  let rows = 0;
  for await (const batch of recordBatches(path)) rows += batch.numRows;
  return rows;
}

async function openRows(path: string): Promise<RowAccess> {
  const { blocks } = await arrowFooter(path);
  const counts = await rowsOfBlocks(path, blocks);
  let rows = 0;
  const stored = blocks.map((block, index) => {
    const first = rows;
    rows += counts[index] ?? 0;
    return { from: block.from, first, end: rows };
  });
  const at: RowAccess['at'] = async (positions, columns) => {
    const wanted = new Map(
      stored.flatMap(({ from, first, end }) => {
        const places = positions.flatMap((position) => (position >= first && position < end ? [position - first] : []));
        return places.length > 0 ? [[from, places]] : [];
      }),
    );
    const found: PlainRow[] = [];
    for await (const { batch, block } of arrowBatches(path, { isWanted: (one) => wanted.has(one.from) })) {
      const table = columns ? new Table(batch).select([...columns]) : new Table(batch);
      for (const { first, last } of runsOf(wanted.get(block.from) ?? [])) {
        found.push(...(await decodedRows(table.slice(first, last + 1), path)));
      }
    }
    return found;
  };
  return { rows, chunks: blocks.length, at };
}

async function checkGroups(path: string, span: GroupSpan): Promise<DecodedGroups> {
  const { blocks } = await arrowFooter(path);
  const failures: unknown[] = [];
  const rowsIn: number[] = [];
  for (const block of blocks) {
    let rows = 0;
    let failure: unknown;
    try {
      for await (const { batch } of arrowBatches(path, { isWanted: ({ from }) => from === block.from })) {
        rows = (await decodedRows(new Table(batch), path)).length;
      }
    } catch (thrown) {
      failure = thrown;
    }
    failures.push(failure);
    rowsIn.push(rows);
  }
  const groups = locateGroups(blocks, span).map((group) => {
    const isWithin = (block: { readonly from: number }) => block.from >= group.from && block.from < group.to;
    return {
      ...group,
      rows: blocks.reduce((sum, block, index) => sum + (isWithin(block) ? (rowsIn[index] ?? 0) : 0), 0),
    };
  });
  return { groups, failures };
}

/** The decoded rows of a table; throws `dataset/damaged` if a value cannot be read. */
function decodedRows(table: Table, path: string): Promise<readonly PlainRow[]> {
  return orDamaged(path, () => Promise.resolve([...tableRows(table)]));
}
