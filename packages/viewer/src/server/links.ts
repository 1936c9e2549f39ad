import { createReadStream } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fieldsOf, itemsOf, tryParse } from '@data-designer/core';
import { exportRows, TemporaryFolder } from '@data-designer/dataset';
import { EXPORT_FORMATS, exportOf, isExportFormat } from '@data-designer/dataset/formats';
import type { Media } from '../api/cells.ts';
import type { Filter } from '../api/filter.ts';
import { type DownloadChoice, downloadedFields, downloadedRow } from '../downloaded-rows.ts';
import { downloadName } from '../download-name.ts';
import { SANDBOX } from './headers.ts';
import { readMedium, sourcesIn } from './record/media.ts';
import { filterForm } from '../api/filter.ts';
import { RequestFailure } from './request-failure.ts';
import type { ShownDataset } from './shown-dataset.ts';

/** Rows that are read at once. */
const BLOCK_ROWS = 500;

/** Sends the rows of a filter as a file. */
export async function sendDownload(
  dataset: ShownDataset,
  query: URLSearchParams,
  { response, signal }: { readonly response: ServerResponse; readonly signal: AbortSignal },
): Promise<void> {
  const format = query.get('format') ?? 'jsonl';
  if (!isExportFormat(format)) throw bad(`There is no format '${format}'. Formats: ${EXPORT_FORMATS.join(', ')}.`);
  const { plan } = await dataset.plan();
  const choice = { edits: query.has('edits'), reviews: query.has('reviews') };
  const filter = filterIn(query.get('filter'));
  const records = rowsOf(dataset, { ...choice, filter }, signal);
  const part = exportOf(format);
  const name = downloadName(dataset.entry.name, { ...choice, filter }, format);
  response.setHeader('content-disposition', `attachment; filename="${name}"`);
  if (part.isText) {
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    return pipeline(Readable.from((await part.loadLines())(records)), response, { signal });
  }
  response.setHeader('content-type', 'application/octet-stream');
  await using folder = await TemporaryFolder.make();
  const path = join(folder.path, `rows.${format}`);
  await exportRows({ records, fields: downloadedFields(plan.fields, choice) }, path, format);
  await pipeline(createReadStream(path), response, { signal });
}

function filterIn(text: string | null): Filter {
  const { data, error } = filterForm.safeParse(text === null ? {} : tryParse(text, JSON.parse));
  if (error) throw bad('The filter of the address cannot be read.');
  return data;
}

interface DownloadOptions extends DownloadChoice {
  readonly filter: Filter;
}

async function* rowsOf(dataset: ShownDataset, { filter, ...choice }: DownloadOptions, signal: AbortSignal) {
  const isPlain = !choice.edits && !choice.reviews;
  const reviews = new Map(isPlain ? [] : (await dataset.reviews.list()).map((review) => [review.row, review]));
  const list = await dataset.queries.rowList(filter, signal);
  const rows = await dataset.currentRows();
  for (let from = 0; from < list.total; from += BLOCK_ROWS) {
    signal.throwIfAborted();
    const positions = list.slice(from, from + BLOCK_ROWS);
    for (const [at, row] of (await rows.at(positions)).entries()) {
      const index = positions[at] ?? -1;
      if (row) yield downloadedRow(row, { index, review: reviews.get(index) }, choice);
    }
  }
}

/** Sends a picture or a sound of a cell, or of a message of its conversation. Nothing in it can run. */
export async function sendMedium(
  dataset: ShownDataset,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const numberOf = (name: string) => Number(query.get(name) ?? NaN);
  const column = query.get('column') ?? '';
  const kind = kindIn(query.get('kind'));
  await dataset.column(column);
  const index = numberOf('index');
  if (!Number.isSafeInteger(index) || index < 0) throw bad('The address names no row.');
  const value = (await dataset.row(index))[column];
  const source = query.has('message')
    ? partAt(itemsOf(value)[numberOf('message')], numberOf('part'))
    : sourcesIn(value)[numberOf('at')];
  const { type, bytes } = await readMedium(source ?? '', {
    kind,
    folder: dataset.paths.folder,
    roots: dataset.mediaRoots,
  });
  response.setHeader('content-security-policy', SANDBOX);
  response.setHeader('content-type', type);
  response.end(bytes);
}

function partAt(message: unknown, part: number): string | undefined {
  const { content, content_parts: parts } = fieldsOf(message);
  const { url } = fieldsOf(itemsOf(parts ?? content)[part]);
  return typeof url === 'string' ? url : undefined;
}

function kindIn(text: string | null): Media['kind'] {
  if (text === 'image' || text === 'audio' || text === 'video') return text;
  throw bad('The address names no kind of media.');
}

function bad(message: string): RequestFailure {
  return new RequestFailure(400, 'view/bad-request', message);
}
