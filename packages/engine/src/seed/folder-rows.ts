import { join } from 'node:path';
import { type DecodeText, type FolderSource, type SeedFolder, textDecoderOf } from '@data-designer/config';
import { type ArrowField, DataDesignerError, SEED_TABLE } from '@data-designer/core';
import { tablesReader } from '../tables/table-reader.ts';
import type { OpenTable, RowSource, Workplace } from '../tables/table-source.ts';
import { TableWriter } from '../tables/table-writer.ts';
import { countRows } from '../store/read-rows.ts';
import { fileText } from './file-text.ts';
import { quotedPath } from './seed-table.ts';

/** Files of a folder that make a row each. */
export interface FolderFiles {
  readonly source: Exclude<FolderSource, { readonly seedType: 'agent_rollout' }>;
  readonly folder: SeedFolder;
  /** Relative paths, with `/`, in order. */
  readonly files: readonly string[];
  /** The columns of the rows; the content of a file, if it is one, comes last. */
  readonly fields: readonly ArrowField[];
}

/** Rows go to a file in groups of at most so many rows, and about so many characters. */
const GROUP_ROWS = 10_240;
const GROUP_CHARACTERS = 16 * 1024 * 1024;
/** Files whose names are read at a time. */
const AT_A_TIME = 1024;

/** A row for each file of a folder; the text of a file is read when its row stands in its order, and only then. */
export function folderRows({ source, folder, files, fields }: FolderFiles): RowSource {
  const read = new Set<string>();
  const named = fields.filter(({ name }) => name !== 'content');
  const rows = {
    name: folder.root,
    files: files.map((name) => ({ name, path: join(folder.root, name) })),
    contents: () => read,
    open: ({ scratch }: Workplace) =>
      Promise.resolve(writeNames(join(scratch, 'files.parquet'), { source, folder, files, fields: named })),
  };
  if (source.seedType === 'directory') return rows;
  const decode = decoderOf(source.encoding);
  return {
    ...rows,
    complete: (ordered, destination, { signal }) =>
      addContents(
        { ordered, destination, fields },
        { named, signal, contentOf: (path) => (read.add(path), fileText(path, decode)) },
      ),
  };
}

function decoderOf(encoding: string): DecodeText {
  const decode = textDecoderOf(encoding);
  if (decode) return decode;
  throw new DataDesignerError('internal/unexpected', { reason: `no decoder for '${encoding}'` });
}

/** Writes the rows without content. */
function writeNames(path: string, { source, folder, files, fields }: FolderFiles): OpenTable {
  using writer = new TableWriter(path, fields, { isPacked: false });
  for (let at = 0; at < files.length; at += GROUP_ROWS) {
    const group = files.slice(at, at + GROUP_ROWS);
    writer.write([
      group.map(() => (source.seedType === 'directory' ? 'directory_file' : source.seedType)),
      group.map((file) => join(folder.root, file)),
      group,
      group.map((file) => file.slice(file.lastIndexOf('/') + 1)),
    ]);
  }
  writer.finish();
  return { sql: `read_parquet(${quotedPath(path)})`, columns: fields.map(({ name }) => name) };
}

interface Contents {
  readonly named: readonly ArrowField[];
  readonly contentOf: (path: string) => Promise<string>;
  readonly signal: AbortSignal;
}

/** Writes the rows of a file once more, each with the text of the file that it names; gives how many there are. */
async function addContents(
  {
    ordered,
    destination,
    fields,
  }: { readonly ordered: string; readonly destination: string; readonly fields: readonly ArrowField[] },
  { named, contentOf, signal }: Contents,
): Promise<number> {
  using writer = new TableWriter(destination, fields, { isPacked: true });
  let group: string[][] = fields.map(() => []);
  let [rows, characters] = [0, 0];
  for await (const row of rowsOf(ordered, named)) {
    signal.throwIfAborted();
    const content = await contentOf(row[1] as string);
    [...row, content].forEach((value, index) => group[index]?.push(value));
    rows++;
    characters += content.length;
    if (characters < GROUP_CHARACTERS && (group[0]?.length ?? 0) < GROUP_ROWS) continue;
    writer.write(group);
    group = fields.map(() => []);
    characters = 0;
  }
  writer.write(group);
  writer.finish();
  return rows;
}

async function* rowsOf(path: string, fields: readonly ArrowField[]): AsyncGenerator<readonly string[]> {
  const rows = await countRows(path);
  const read = tablesReader([{ id: SEED_TABLE, fields }], [{ id: SEED_TABLE, path, rows }]);
  for (let firstRow = 0; firstRow < rows; firstRow += AT_A_TIME) {
    const count = Math.min(AT_A_TIME, rows - firstRow);
    const columns = [...((await read({ firstRow, rows: count })).get(SEED_TABLE)?.values() ?? [])];
    for (let row = 0; row < count; row++) yield columns.map((column) => column[row] as string);
  }
}
