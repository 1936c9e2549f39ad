import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { DataDesignerError } from '@data-designer/core';
import { z } from 'zod';
import { printYaml } from '../builder/print-yaml.ts';
import { writeForm } from '../read-form.ts';
import { modelConfig, type ModelConfig } from '../schemas/model-config.ts';
import { type MCPProvider, mcpProvider, type ModelProvider, modelProvider } from '../schemas/providers.ts';
import { toolConfig, type ToolConfig } from '../schemas/tool-config.ts';
import { HOME_FILES, type HomeFile, type HomeFolder } from './home-folder.ts';

/** What to write into the home folder; a file that is left out stays as it is. */
export interface HomeContents {
  readonly modelProviders?: readonly ModelProvider[];
  readonly modelConfigs?: readonly ModelConfig[];
  readonly mcpProviders?: readonly MCPProvider[];
  readonly toolConfigs?: readonly ToolConfig[];
}

/** A file that was to be written: it was, or was there before and is as it was. */
export interface WrittenFile {
  readonly file: HomeFile;
  readonly path: string;
  readonly written: boolean;
}

const SCHEMAS = {
  modelProviders: z.strictObject({ providers: z.array(modelProvider) }),
  modelConfigs: z.strictObject({ modelConfigs: z.array(modelConfig) }),
  mcpProviders: z.strictObject({ providers: z.array(mcpProvider) }),
  toolConfigs: z.strictObject({ toolConfigs: z.array(toolConfig) }),
} as const satisfies Record<HomeFile, z.ZodObject>;

/**
 * Writes files of the home folder as the Python tool does, each in full or not at all, for the user alone to read. A
 * file that is there is left alone unless `overwrite` says otherwise. Throws `dataset/unwritable`.
 */
export function writeHome(
  { path: folder, files }: HomeFolder,
  contents: HomeContents,
  { overwrite = false }: { readonly overwrite?: boolean } = {},
): readonly WrittenFile[] {
  makeFolder(folder);
  return (Object.keys(HOME_FILES) as HomeFile[]).flatMap((file) => {
    const entries = contents[file];
    if (entries === undefined) return [];
    const path = files[file];
    return [{ file, path, written: writePrivateFile(path, textOf(file, entries), overwrite) }];
  });
}

function textOf(file: HomeFile, entries: readonly unknown[]): string {
  const schema = SCHEMAS[file];
  const [key = ''] = Object.keys(schema.shape);
  return printYaml(writeForm(schema, { [key]: entries }));
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw unwritable(path, thrown);
  }
}

/** Whether the file was written, which it is not where it is there already and may not be replaced. */
function writePrivateFile(path: string, text: string, overwrite: boolean): boolean {
  const temporary = `${path}.tmp-${randomUUID()}`;
  try {
    writeSynced(temporary, text);
    if (overwrite) renameSync(temporary, path);
    const written = overwrite || place(temporary, path);
    rmSync(temporary, { force: true });
    return written;
  } catch (thrown) {
    remove(temporary);
    throw unwritable(path, thrown);
  }
}

/** Where a file could not be made it cannot be removed either; the first failure is the one to tell. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // As above.
  }
}

/** File systems without hard links say one of these. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Gives a file its name unless something has it: a link, unlike a rename, never replaces. */
function place(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.includes(code)) throw thrown;
  }
  if (existsSync(path)) return false;
  renameSync(temporary, path);
  return true;
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'its rights forbid it',
  EPERM: 'its rights forbid it',
  EROFS: 'the disk can only be read',
  EISDIR: 'it is a folder',
  EEXIST: 'a part of the path is a file, not a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
};

function unwritable(path: string, thrown: unknown): DataDesignerError {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  return new DataDesignerError('dataset/unwritable', { path, reason: REASONS[code] ?? message }, { cause: thrown });
}
