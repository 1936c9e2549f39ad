import { type Append, type BatchedTable, browserExports, chunksOf, type Records } from '@data-designer/dataset/browser';
import type { ExportFormat } from '@data-designer/dataset/formats';
import type { Filter } from '../../api/filter.ts';
import { type DownloadChoice, downloadedFields, downloadedRow } from '../../downloaded-rows.ts';
import type { StaticCopy } from './static-copy.ts';

interface DownloadOptions extends DownloadChoice {
  readonly format: ExportFormat;
  readonly filter: Filter;
  readonly signal: AbortSignal;
}

/** The rows that are read together. */
const BLOCK_ROWS = 2000;

/** The rows of a filter as a file of a format, as `data-designer export` writes it. */
export async function downloadedRows(copy: StaticCopy, { format, ...of }: DownloadOptions): Promise<Blob> {
  const parts: Blob[] = [];
  const records = rowsOf(copy, of);
  const part = browserExports[format];
  if (part.isText) {
    const toLines = await part.loadLines();
    let text = '';
    for await (const line of toLines(records)) {
      text += line;
      if (text.length < 1_000_000) continue;
      parts.push(new Blob([text]));
      text = '';
    }
    parts.push(new Blob([text]));
    return new Blob(parts, { type: 'text/plain' });
  }
  const write = await part.loadWriter();
  const fields = downloadedFields(copy.rows.fields, of);
  const table: BatchedTable = { fields, batches: chunksOf(records, fields) };
  const append: Append = (bytes) => void parts.push(new Blob([bytes.slice()]));
  await write(table, append);
  return new Blob(parts, { type: 'application/octet-stream' });
}

async function* rowsOf(copy: StaticCopy, { filter, signal, ...choice }: Omit<DownloadOptions, 'format'>): Records {
  const list = await copy.list(filter, signal);
  const total = list?.length ?? copy.rows.total;
  for (let from = 0; from < total; from += BLOCK_ROWS) {
    const positions = copy.positions(list, from, BLOCK_ROWS);
    for (const [at, row] of (await copy.rows.at(positions)).entries()) {
      const index = positions[at] ?? -1;
      if (row) yield downloadedRow(row, { index, review: copy.reviewOf(index) }, choice);
    }
  }
}
