import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ArrowField, field, type Finding } from '@data-designer/core';
import { z } from 'zod';
import { listSeedFiles, sayLeftOut, type SeedFiles, type SeedFolder } from './list-seed-files.ts';
import { statOf } from './local-seed.ts';
import { type SeedKind, sourceError } from './seed-kind.ts';

/** A kind of seed whose rows are made from the files of a folder. */
export interface FolderKind<Source> {
  /** The columns of the rows, which the content of the files does not change. */
  readonly fields: readonly ArrowField[];
  /** The folder of a source; relative paths start at `base`. */
  readonly folderOf: (source: Source, base: string) => SeedFolder;
  /** When the Python tool notices that no file matches: in a run unless given. */
  readonly emptyStage?: Finding['stage'];
}

/** Declares a kind of seed whose rows are made from the files of a folder; its columns and the check of the folder follow. */
export function defineFolderSeed<Schema extends z.ZodObject, Row = Record<string, unknown>>(
  kind: FolderKind<z.output<Schema>> & Pick<SeedKind<z.output<Schema>, Schema, Row>, 'schema' | 'row' | 'check'>,
): SeedKind<z.output<Schema>, Schema, Row> & FolderKind<z.output<Schema>> {
  const names = kind.fields.map(({ name }) => name);
  return {
    ...kind,
    readsFiles: true,
    columns: () => names,
    check: (source, options) => [
      ...(kind.check?.(source, options) ?? []),
      ...checkFolder(kind.folderOf(source, options.folder), kind.emptyStage),
    ],
  };
}

/** The schema of a path to a folder. */
export const folderPath = z
  .string()
  .refine((text) => text.trim() !== '', { error: 'the text must not be blank; write a text' });

/** The schema of a pattern for file names. */
export const filePattern = z
  .string()
  .refine((pattern) => pattern.trim() !== '' && !/[/\\]/.test(pattern), {
    error: 'expected a pattern for file names, without / and \\',
  })
  .describe('Pattern for file names, with `*`, `?`, `[…]` and `[!…]` as in a shell; case matters.');

/** The schema of whether folders below are read. */
export const recursive = z.boolean().default(true).describe('Whether to read subfolders too.');

/** A text column of seed rows. */
export const text = (name: string): ArrowField => field(name, 'utf8');

/** The absolute path of a folder; a leading `~` is the user's home. */
export function absolutePath(path: string, base: string): string {
  return /^~(?:[/\\]|$)/.test(path) ? join(homedir(), path.slice(1)) : resolve(base, path);
}

function checkFolder(folder: SeedFolder, emptyStage: Finding['stage'] = 'run'): Finding[] {
  const { pattern, recursive: below, root } = folder;
  const listed = statOf(root)?.isDirectory() ? filesIn(folder) : undefined;
  if (!listed) {
    const message = `the folder ${root} does not exist or cannot be read.`;
    const remedy = 'Correct the path; a relative path starts from the working folder.';
    return [{ ...sourceError('path', { type: 'seed_path_missing', message, remedy }), stage: 'validate' }];
  }
  if (listed.files.length > 0) return [];
  const message = `no file ${below ? 'below' : 'in'} ${root} matches '${pattern}' and can be read.`;
  const remedy = sayLeftOut(listed.leftOut) ?? 'Correct the path or the pattern; upper and lower case differ.';
  return [{ ...sourceError('path', { type: 'seed_empty', message, remedy }), stage: emptyStage }];
}

function filesIn(folder: SeedFolder): SeedFiles | undefined {
  try {
    return listSeedFiles(folder);
  } catch {
    return undefined;
  }
}
