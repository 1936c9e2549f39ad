import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { DataDesignerError, nearest, printNames } from '@data-designer/core';
import { datasetPaths } from './dataset-paths.ts';

/** The most datasets that an error names. */
const MOST_NAMED = 10;

/** How deep files lie in a dataset: a table of a processor has a folder of its own. */
const DEPTH = 3;

/**
 * The error of a path without a dataset: with the dataset that a file belongs to, the datasets in the folder, such as the
 * stages of a workflow, or those beside it and in the artifact folder.
 */
export function missingDataset(path: string): DataDesignerError<'dataset/missing'> {
  const within = datasetAbove(path);
  if (within !== undefined && (isFile(path) || isTable(path)))
    return new DataDesignerError('dataset/missing', {
      path,
      told: `${path} is a ${isFile(path) ? 'file' : 'folder'} of a dataset. Give the folder of the dataset: ${shortPath(within)}.`,
    });
  const inside = datasetsIn(path).map(shortPath);
  if (inside.length > 0) {
    const told = `There is no dataset in ${path} itself. It contains: ${printNames(inside, MOST_NAMED)}.`;
    return new DataDesignerError('dataset/missing', { path, told });
  }
  const near = [...new Set([join(dirname(path), 'artifacts'), dirname(path)])].flatMap(datasetsIn);
  // Of many datasets, the ones of that name or a near one come first.
  const name = nearest(
    basename(path),
    near.map((folder) => basename(folder)),
  );
  const named = near.toSorted((a, b) => Number(basename(b) === name) - Number(basename(a) === name));
  const shown = named.slice(0, MOST_NAMED).map((folder) => shortPath(folder));
  return new DataDesignerError('dataset/missing', { path, ...(shown.length > 0 && { near: shown }) });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Whether a folder in a dataset holds no datasets itself, as that of the files of its rows. */
function isTable(path: string): boolean {
  return existsSync(path) && datasetsIn(path).length === 0;
}

function datasetAbove(path: string): string | undefined {
  let folder = resolve(path);
  for (let level = 0; level < DEPTH; level++) {
    folder = dirname(folder);
    if (holdsDataset(folder)) return folder;
  }
  return undefined;
}

function datasetsIn(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.map(({ name }) => join(folder, name)).filter(holdsDataset);
}

/**
 * Whether a folder has a dataset: the folder of its files, and files or answers in it or a record beside it. A run that
 * begins has none of them yet.
 */
export function holdsDataset(folder: string): boolean {
  const { parquetFiles, journals, run, metadata } = datasetPaths(folder);
  const files = namesIn(parquetFiles);
  return files !== undefined && (files.length > 0 || [run, metadata].some(existsSync) || !!namesIn(journals)?.length);
}

/** The names in a folder; undefined if it is no folder. */
function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

function shortPath(folder: string): string {
  const near = relative('', folder);
  return near === '' || near.startsWith('..') ? folder : near;
}
