import { join } from 'node:path';
import { type DecodeText, type FolderSource, type SeedFolder, textDecoderOf } from '@data-designer/config';
import { type ArrowField, DataDesignerError } from '@data-designer/core';
import type { OpenTable, RowSource, Workplace } from '../tables/table-source.ts';
import { TableWriter } from '../tables/table-writer.ts';
import { completeRows } from '../tables/complete-rows.ts';
import { fileText } from './file-text.ts';
import { quotedPath } from '../duck-db/sql-text.ts';

/** Files of a folder that make a row each. */
export interface FolderFiles {
  readonly source: Exclude<FolderSource, { readonly seedType: 'agent_rollout' }>;
  readonly folder: SeedFolder;
  /** Relative paths, with `/`, in order. */
  readonly files: readonly string[];
  /** The columns of the rows; the content of a file, if it is one, comes last. */
  readonly fields: readonly ArrowField[];
}

/** Rows go to a file in groups of at most so many. */
const GROUP_ROWS = 10_240;

/** A row for each file of a folder; the text of a file is read when its row stands in its order, and only then. */
export function folderRows({ source, folder, files, fields }: FolderFiles): RowSource {
  const read = new Set<string>();
  const known = fields.filter(({ name }) => name !== 'content');
  const rows = {
    name: folder.root,
    files: files.map((name) => ({ name, path: join(folder.root, name) })),
    contents: () => read,
    open: ({ scratch }: Workplace) =>
      Promise.resolve(writeNames(join(scratch, 'files.parquet'), { source, folder, files, fields: known })),
  };
  if (source.seedType === 'directory') return rows;
  const decode = decoderOf(source.encoding);
  return {
    ...rows,
    complete: (ordered, destination, { signal }) =>
      completeRows(
        { ordered, destination, fields, known },
        {
          signal,
          rowOf: async (row) => {
            const path = row[1] as string;
            read.add(path);
            const content = await fileText(path, decode);
            return { values: [...row, content], characters: content.length };
          },
        },
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
