import { join } from 'node:path';
import type { ArrowField } from '@data-designer/core';
import type { FileStamp } from '../../tables/file-stamp.ts';
import type { OpenTable, RowSource, Workplace } from '../../tables/table-source.ts';
import type { Row } from '../kept-row.ts';
import { spoolTable } from '../memory-rows.ts';
import { writeRows } from '../spool-rows.ts';
import { readRollouts, type RolloutFiles } from './read-rollouts.ts';

/** Rows go to a file in groups of at most so many rows, and about so many characters. */
const GROUP_ROWS = 10_240;
const GROUP_CHARACTERS = 16 * 1024 * 1024;

/** The rows of recordings that were looked at; the rows tell where their files stand. */
export function rolloutSource(
  found: RolloutFiles,
  { fields, stamps }: { readonly fields: readonly ArrowField[]; readonly stamps: ReadonlyMap<string, FileStamp> },
): RowSource {
  const files = [...stamps].map(([name, stamp]) => ({ name, path: join(found.root, name), stamp }));
  const paths = new Set(files.map(({ path }) => path));
  return { name: found.root, files, contents: () => paths, open: (place) => writeRollouts(found, fields, place) };
}

async function writeRollouts(
  found: RolloutFiles,
  fields: readonly ArrowField[],
  { scratch, signal }: Workplace,
): Promise<OpenTable> {
  const path = join(scratch, 'sessions.parquet');
  await writeRows(path, fields, groupsOf(found, signal));
  return spoolTable(path, fields);
}

async function* groupsOf(found: RolloutFiles, signal: AbortSignal): AsyncGenerator<readonly Row[]> {
  let rows: Row[] = [];
  let held = 0;
  // What is left out was told when they were looked at.
  for await (const { row, characters } of readRollouts(found, { signal, onLeftOut: () => undefined })) {
    rows.push(row);
    held += characters;
    if (rows.length < GROUP_ROWS && held < GROUP_CHARACTERS) continue;
    yield rows;
    rows = [];
    held = 0;
  }
  if (rows.length > 0) yield rows;
}
