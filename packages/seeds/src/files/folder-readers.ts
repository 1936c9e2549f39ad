import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type DecodeText,
  directorySeed,
  fileContentsSeed,
  type SeedSource,
  textDecoderOf,
} from '@data-designer/config';
import { type ArrowField, DataDesignerError } from '@data-designer/core';
import { quotedPath } from '../duck-db/sql-text.ts';
import type { SeedInspection, SeedReader } from '../seed-reader.ts';
import { completeRows } from '../tables/complete-rows.ts';
import { type OpenTable, type RowSource, SAMPLED_ROWS } from '../tables/table-source.ts';
import { GROUP_ROWS, TableWriter } from '../tables/table-writer.ts';
import { fileText } from './file-text.ts';
import { type FolderFiles, inspectFolder } from './inspect-folder.ts';

/** Reads `directory`: a row for each file of a folder. */
export const directoryReader: SeedReader<Extract<SeedSource, { readonly seedType: 'directory' }>> = {
  inspect: (source, options) =>
    inspectFolder({ kind: directorySeed, source }, options, (found) =>
      inspection(found, fileRows(found, 'directory_file', found.fields)),
    ),
};

/** Reads `file_contents`: a row for each file of a folder, with its text. */
export const fileContentsReader: SeedReader<Extract<SeedSource, { readonly seedType: 'file_contents' }>> = {
  inspect: (source, options) =>
    inspectFolder({ kind: fileContentsSeed, source }, options, async (found) =>
      inspection(found, { ...fileContentRows(found, source.encoding), rowBytes: await meanSize(found) }),
    ),
};

/** The mean size of the first files, in bytes. */
async function meanSize({ folder: { root }, files }: FolderFiles): Promise<number> {
  const sampled = files.slice(0, SAMPLED_ROWS);
  const sizes = await Promise.all(sampled.map(async (file) => (await stat(join(root, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length);
}

function inspection({ files, fields }: FolderFiles, source: RowSource): SeedInspection {
  return { columns: fields, rows: files.length, findings: [], source };
}

/** A row for each file, with its names in the columns of `fields`. */
function fileRows({ folder: { root }, files }: FolderFiles, kind: string, fields: readonly ArrowField[]): RowSource {
  return {
    name: root,
    files: files.map((name) => ({ name, path: join(root, name) })),
    contents: () => new Set(),
    open: ({ scratch }) => {
      const path = join(scratch, 'files.parquet');
      using writer = new TableWriter(path, fields, { isPacked: false });
      for (let at = 0; at < files.length; at += GROUP_ROWS) {
        const group = files.slice(at, at + GROUP_ROWS);
        writer.write([
          group.map(() => kind),
          group.map((file) => join(root, file)),
          group,
          group.map((file) => file.slice(file.lastIndexOf('/') + 1)),
        ]);
      }
      writer.finish();
      return Promise.resolve<OpenTable>({
        sql: `read_parquet(${quotedPath(path)})`,
        columns: fields.map(({ name }) => name),
      });
    },
  };
}

/** Adds the text of each file, which is read only once its row is known to be used. */
function fileContentRows(found: FolderFiles, encoding: string): RowSource {
  const { fields } = found;
  const known = fields.filter(({ name }) => name !== 'content');
  const decode = decoderOf(encoding);
  const read = new Set<string>();
  return {
    ...fileRows(found, 'file_contents', known),
    contents: () => read,
    complete: (ordered, destination, { signal }) =>
      completeRows(
        { ordered, destination, fields, known },
        {
          signal,
          rowOf: async (row) => {
            const [, path = ''] = row;
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
