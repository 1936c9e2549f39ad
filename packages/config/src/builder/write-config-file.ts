import { extname } from 'node:path';
import { stringifyJson } from '@data-designer/core';
import { writeFile } from '../write-file.ts';
import { printYaml } from './print-yaml.ts';
import { invalid } from './invalid-config.ts';

/** The text of a config file, by its suffix. */
const FORMATS: Readonly<Record<string, (config: unknown) => string>> = {
  '.yaml': printYaml,
  '.yml': printYaml,
  '.json': (config) => `${stringifyJson(config, 2)}\n`,
};

/**
 * Writes a config file completely or not at all. Throws `config/invalid` for another suffix, and `dataset/unwritable`.
 */
export function writeConfigFile(path: string, config: unknown): void {
  const format = FORMATS[extname(path).toLowerCase()];
  if (!format) {
    const message = `a config file cannot end in '${extname(path)}'.`;
    const remedy = `Use ${Object.keys(FORMATS).join(', ')}.`;
    throw invalid('writeConfig', { type: 'unknown_suffix', path, message, remedy });
  }
  writeFile(path, format(config), { overwrite: true });
}
