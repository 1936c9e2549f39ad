import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { DataDesignerError, stringifyJson } from '@data-designer/core';
import { printYaml } from './print-yaml.ts';
import { invalid } from './refuse.ts';

/** How a file is written, by its suffix. */
const FORMATS: Readonly<Record<string, (config: unknown) => string>> = {
  '.yaml': printYaml,
  '.yml': printYaml,
  '.json': (config) => `${stringifyJson(config, 2)}\n`,
};

/**
 * Writes a config file that is there in full or not at all. Throws `config/invalid` for a suffix that no config file
 * has, `dataset/unwritable` and `dataset/disk-full`.
 */
export function writeConfigFile(path: string, config: unknown): void {
  const format = FORMATS[extname(path).toLowerCase()];
  if (!format) {
    const message = `a config file cannot end in '${extname(path)}'.`;
    throw invalid('writeConfig', {
      type: 'unknown_suffix',
      path,
      message,
      remedy: `Use ${Object.keys(FORMATS).join(', ')}.`,
    });
  }
  const text = format(config);
  const temporary = `${path}.tmp-${randomUUID()}`;
  try {
    writeSynced(temporary, text);
    renameSync(temporary, path);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw storageFailure(thrown as NodeJS.ErrnoException, path);
  }
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  EISDIR: 'it is a folder',
  EACCES: 'its rights forbid it',
  ENOTDIR: 'a part of the path is a file, not a folder',
};

function storageFailure(thrown: NodeJS.ErrnoException, path: string): DataDesignerError {
  const { code = '', message } = thrown;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new DataDesignerError('dataset/disk-full', { path }, { cause: thrown });
  return new DataDesignerError('dataset/unwritable', { path, reason: REASONS[code] ?? message }, { cause: thrown });
}
