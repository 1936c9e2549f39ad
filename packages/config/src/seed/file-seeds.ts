import { type ArrowField, valueType } from '@data-designer/core';
import { z } from 'zod';
import { absolutePath, defineFolderSeed, filePattern, folderPath, recursive, text } from './folder-kind.ts';
import type { SeedFolder } from './list-seed-files.ts';
import { sourceError } from './seed-kind.ts';
import { isUndecodable, textDecoderOf } from './text-codec.ts';

/** The names of a file. */
export interface FileRow {
  source_kind: string;
  source_path: string;
  relative_path: string;
  file_name: string;
}

const FILE_FIELDS: readonly ArrowField[] = ['source_kind', 'source_path', 'relative_path', 'file_name'].map(text);

const sourceFields = {
  path: folderPath.describe('The folder with the files.'),
  filePattern: filePattern.default('*').describe('Pattern for file names, with `*`, `?` and `[…]` as in a shell.'),
  recursive,
};

type FileSource = z.output<z.ZodObject<typeof sourceFields>>;

function folderOf(source: FileSource, base: string): SeedFolder {
  const { path, filePattern: pattern } = source;
  return { root: absolutePath(path, base), pattern, recursive: source.recursive, takes: () => true };
}

/** One row for each file of a folder. */
export const directorySeed = defineFolderSeed({
  schema: z.object({
    seedType: z.literal('directory').describe('One row for each file in a folder, with its path and name.'),
    ...sourceFields,
  }),
  row: valueType<FileRow>(),
  fields: FILE_FIELDS,
  folderOf,
  emptyStage: 'validate',
});

/** One row for each file of a folder, with its text. */
export const fileContentsSeed = defineFolderSeed({
  schema: z.object({
    seedType: z.literal('file_contents').describe('One row for each file in a folder, with its path, name and text.'),
    ...sourceFields,
    encoding: z
      .string()
      .refine((name) => textDecoderOf(name) !== undefined || isUndecodable(name), {
        error: (issue) =>
          `there is no text encoding '${String(issue.input)}'; use one such as utf-8, latin-1 or cp1252`,
      })
      .default('utf-8')
      .describe('The encoding of the text, by its name in Python or on the web, such as `latin-1`.'),
  }),
  row: valueType<FileRow & { content: string }>(),
  fields: [...FILE_FIELDS, text('content')],
  folderOf,
  check: ({ encoding }) => {
    if (!isUndecodable(encoding)) return [];
    const message = `the encoding '${encoding}' is not supported.`;
    const remedy = 'Convert the files to UTF-8.';
    return [sourceError('encoding', { type: 'encoding_unsupported', message, remedy })];
  },
});
