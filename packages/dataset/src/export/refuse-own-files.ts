import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { DataDesignerError } from '@data-designer/core';
import { datasetPaths } from '../dataset-paths.ts';

/** Throws `dataset/unwritable` for an output that would replace a file of the dataset, or lie in a folder of it. */
export function refuseOwnFiles(folder: string, output: string): void {
  const [first = ''] = relative(realOf(folder), realOf(output)).split(sep);
  const own = Object.values(datasetPaths(folder)).flatMap((path) => (typeof path === 'string' ? [path] : []));
  if (!own.some((path) => path !== folder && relative(folder, path).split(sep)[0] === first)) return;
  const reason = `${first} belongs to the dataset that is exported`;
  throw new DataDesignerError('dataset/unwritable', { path: output, reason, remedy: 'Choose another name or folder.' });
}

/** A path without links, also where its last names are not there yet. */
function realOf(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    const parent = dirname(whole);
    return parent === whole ? whole : join(realOf(parent), basename(whole));
  }
}
