import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import {
  type ColumnRegistry,
  type Home,
  loadDocument,
  parseDataset,
  writeDataset,
  type WrittenDataset,
} from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';

/** A config file that is served as a tool. */
export interface FolderConfig {
  /** The file's name without its extension. */
  readonly name: string;
  readonly path: string;
  /** The config with all defaults, as read when the server started. */
  readonly dataset: WrittenDataset;
}

/** The configs of a folder, and a message for each file that is not served. */
export interface FolderConfigs {
  readonly configs: readonly FolderConfig[];
  readonly leftOut: readonly string[];
}

const EXTENSION = /\.(?:ya?ml|json)$/i;

/** Reads the config files of a folder, without subfolders; throws `config/unreadable` if it cannot be read. */
export function readFolder(folder: string, registry: ColumnRegistry, home: Home): FolderConfigs {
  const configs = new Map<string, FolderConfig>();
  const leftOut: string[] = [];
  for (const file of filesIn(folder)) {
    const { name } = parse(file);
    const path = join(folder, file);
    const read = readConfig(path, registry, home);
    const tool = toolName(name);
    if ('reason' in read) leftOut.push(`${path} is not served: ${read.reason}`);
    else if (configs.has(tool)) leftOut.push(`${path} is not served: another file's tool is named ${tool}.`);
    else configs.set(tool, { name, path, ...read });
  }
  return { configs: [...configs.values()], leftOut };
}

/** The name of a config's tool: clients accept few characters besides letters and digits. */
export function toolName(name: string): string {
  return `make_${name.replaceAll(/[^A-Za-z0-9_-]+/g, '_')}`.slice(0, 64);
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory() && EXTENSION.test(entry.name));
    return files.map(({ name }) => name).toSorted();
  } catch (cause) {
    throw new DataDesignerError(
      'config/unreadable',
      { path: folder, reason: 'it is not a readable folder' },
      { cause },
    );
  }
}

function readConfig(
  path: string,
  registry: ColumnRegistry,
  home: Home,
): { readonly dataset: WrittenDataset } | { readonly reason: string } {
  try {
    const { config, violations } = parseDataset(loadDocument(path), registry, { defaultModels: home.models });
    const [first] = violations.filter(({ level, stage }) => level === 'ERROR' && stage === 'load');
    if (first) return { reason: `${first.path}: ${first.message}` };
    return { dataset: writeDataset(config, registry) };
  } catch (thrown) {
    return { reason: DataDesignerError.fromUnknown(thrown).message };
  }
}
