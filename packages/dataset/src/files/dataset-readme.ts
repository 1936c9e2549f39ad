import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { systemCode } from '@data-designer/core';
import type { DatasetPaths } from '../dataset-paths.ts';
import type { SideTable } from '../side-tables.ts';
import { writeDurably } from './commit-file.ts';
import { ifThere } from './missing-file.ts';

/** A table that `datasets.load_dataset` of Hugging Face loads by its name. */
export interface LoadedTable {
  readonly name: string;
  /** The patterns of its files, relative to the `README.md`. */
  readonly patterns: readonly string[];
  readonly isDefault: boolean;
}

/** The name of the records' table. */
export const DATA = 'data';

/** The lines of a `README.md` that declare its tables, so that loaders read no other file as data. YAML: a JSON string is one. */
export function configLines(tables: readonly LoadedTable[]): readonly string[] {
  return [
    'configs:',
    ...tables.flatMap(({ name, patterns, isDefault }) => [
      `- config_name: ${JSON.stringify(name)}`,
      '  data_files:',
      ...patterns.map((pattern) => `  - ${JSON.stringify(pattern)}`),
      ...(isDefault ? ['  default: true'] : []),
    ]),
  ];
}

/** A name that no other table has, in characters that the loader takes; it joins the taken ones. */
export function tableName(wanted: string, taken: Set<string>): string {
  let name = wanted.replaceAll(/[<>:/\\|?*]/g, '-');
  while (taken.has(name)) name = `${name}-processor`;
  taken.add(name);
  return name;
}

/** The first lines of a `README.md` that this project has written, and may replace. */
const OWN =
  '---\n# Data Designer writes this file anew with each run. Without this line, it keeps the file as it is.\n';

/** Writes the `README.md` with which loaders of Hugging Face read the folder; leaves one of the user as it is. */
export async function writeReadme(paths: DatasetPaths, sides: readonly Pick<SideTable, 'processor'>[]): Promise<void> {
  const present = await readmeOf(paths);
  const wanted = readmeText(paths, sides);
  if (present !== undefined && (present === wanted || !present.startsWith(OWN))) return;
  await writeDurably(paths.readme, wanted);
}

/** Whether the `README.md` of a folder, if there is one, is not of this project. */
export async function isForeignReadme(paths: DatasetPaths): Promise<boolean> {
  return (await readmeOf(paths))?.startsWith(OWN) === false;
}

async function readmeOf({ readme }: DatasetPaths): Promise<string | undefined> {
  try {
    return await ifThere(readFile(readme, 'utf8'), undefined);
  } catch (thrown) {
    // A folder of this name is the user's.
    if (systemCode(thrown) === 'EISDIR') return '';
    throw thrown;
  }
}

function readmeText(paths: DatasetPaths, sides: readonly Pick<SideTable, 'processor'>[]): string {
  const { parquetFiles, droppedColumns, processorsFiles } = paths;
  const taken = new Set([DATA]);
  const tables = sides.map(({ processor }): LoadedTable => {
    const of = processor === null ? basename(droppedColumns) : `${basename(processorsFiles)}/${literal(processor)}`;
    return { name: tableName(processor ?? 'dropped-columns', taken), patterns: [`${of}/batch_*`], isDefault: false };
  });
  const records = { name: DATA, patterns: [`${basename(parquetFiles)}/batch_*`], isDefault: true };
  const names = [records, ...tables].map(({ name }) => `- \`${name}\``);
  return `${OWN}${[
    ...configLines([records, ...tables]),
    '---',
    '',
    '# Synthetic dataset',
    '',
    'Made with Data Designer. `datasets.load_dataset` of Hugging Face takes the path of this folder, and',
    'the name of a table:',
    '',
    ...names,
    '',
    '`builder_config.json` declares the columns, and `metadata.json` describes the files.',
  ].join('\n')}\n`;
}

/** A name as a pattern of this name alone. */
function literal(name: string): string {
  return name.replaceAll(/[*?[]/g, (sign) => `[${sign}]`);
}
