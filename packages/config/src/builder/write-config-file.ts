import { randomUUID } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { extname } from 'node:path';
import { stringifyJson } from '@data-designer/core';
import { storageFailure, writeSynced } from '../write-synced.ts';
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
 * has, and `dataset/unwritable`.
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
    throw storageFailure(path, thrown);
  }
}
