import { extname } from 'node:path';
import { itemsOf, stringifyJson, type Violation } from '@data-designer/core';
import { checkDataset } from '../check/check-dataset.ts';
import type { ColumnRegistry } from '../column-registry.ts';
import { extensionsIn } from '../extensions.ts';
import { locate } from '../locate.ts';
import { parseDataset } from '../parse-dataset.ts';
import { readForm } from '../read-form.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import { isMapping } from '../spelling.ts';
import { printPath } from '../document-path.ts';
import { writeDataset, type WrittenDataset } from '../write-dataset.ts';
import { writeFile } from '../write-file.ts';
import type { ModelDeclaration } from './declarations.ts';
import { invalid, refuseAll } from './invalid-config.ts';
import { printYaml } from './print-yaml.ts';
import type { SourceDocument } from './read-source.ts';

/** The environment of a builder. */
export interface BuilderSetting {
  readonly registry: ColumnRegistry;
  /** The models of a builder that starts without any. */
  readonly defaultModels: () => readonly ModelDeclaration[];
}

/** How to write a declaration. */
export interface WriteOptions {
  /** Refuses what the Python tool does not support. */
  readonly for?: 'python';
}

/** Errors that the permissions of a run may lift. */
const PERMISSION_ERRORS = new Set(['local_file_refused', 'secret_refused', 'address_refused']);

/** The checked form of a declaration; throws `config/invalid` with all errors that show before a run. */
export function buildConfig(declared: SourceDocument, setting: BuilderSetting): DatasetConfig {
  return examine(declared, setting, ({ type }) => !PERMISSION_ERRORS.has(type));
}

/** The parsed form of a declaration; throws `config/invalid` if it cannot be loaded. */
export function loadableConfig(declared: SourceDocument, setting: BuilderSetting): DatasetConfig {
  return examine(declared, setting, ({ stage }) => stage === 'load');
}

function examine(
  { document, origin, source }: SourceDocument,
  { registry, defaultModels }: BuilderSetting,
  isRefused: (violation: Violation) => boolean,
): DatasetConfig {
  const parsed = parseDataset(withModels(document, defaultModels), registry, { spelling: 'camel' });
  const permissions = { folder: process.cwd(), localFiles: origin === 'local', secrets: [] };
  const found = checkDataset(parsed, { registry, permissions }).filter(isRefused);
  refuseAll(source, locate(found, document));
  return parsed.config;
}

/** A declaration without models has the default ones. */
function withModels(document: unknown, defaultModels: () => readonly ModelDeclaration[]): unknown {
  const isEmpty = isMapping(document) && itemsOf(document.modelConfigs).length === 0;
  return isEmpty ? { ...document, modelConfigs: defaultModels() } : document;
}

/** The declaration as files have it; throws `config/invalid` for rows in memory and for what `options.for` refuses. */
export function writtenConfig(
  declared: SourceDocument,
  setting: BuilderSetting,
  options: WriteOptions,
): WrittenDataset {
  const { registry } = setting;
  const config = loadableConfig(declared, setting);
  const inMemory = config.seedConfig && registry.seedKindOf(config.seedConfig.source).inMemory;
  if (inMemory) {
    const message = 'rows in memory cannot be written to a config file.';
    const remedy = 'Save the rows as a .parquet, .csv or .jsonl file and use it as the seed.';
    const path = `seedConfig.source.${inMemory}`;
    throw invalid(declared.source, { type: 'not_writable', path, message, remedy });
  }
  const written = writeDataset(config, registry);
  if (options.for === 'python') refuseAll(declared.source, unsupported(written));
  return written;
}

/** Errors for everything in a written declaration that the Python tool does not support. */
function unsupported(written: WrittenDataset): Violation[] {
  return extensionsIn(written).map(({ extension: { name, remedy }, path }) => {
    const error = { stage: 'run', type: 'own_extension', level: 'ERROR', path: printPath(path, written) } as const;
    return { ...error, message: `the Python tool does not support ${name}.`, remedy };
  });
}

/** The names that a declared column writes, side effects included; only its own name if its declaration has errors. */
export function writtenNames(
  declaration: { readonly name: string; readonly columnType: string },
  registry: ColumnRegistry,
): string[] {
  const type = registry.get(declaration.columnType);
  const parsed = type?.schema.safeParse(readForm(type.schema, declaration));
  if (!type || !parsed?.success) return [declaration.name];
  return type.writes(parsed.data as never).map(({ name }) => name);
}

/** The text of a config file, by its suffix. */
const FORMATS: Readonly<Record<string, (config: unknown) => string>> = {
  '.yaml': printYaml,
  '.yml': printYaml,
  '.json': (config) => `${stringifyJson(config, 2)}\n`,
};

/** Writes a config file atomically; throws `config/invalid` for another suffix, and `dataset/unwritable`. */
export function writeConfigFile(path: string, config: unknown): void {
  const format = FORMATS[extname(path).toLowerCase()];
  if (!format) {
    const message = `a config file cannot end in '${extname(path)}'.`;
    const remedy = `Use ${Object.keys(FORMATS).join(', ')}.`;
    throw invalid('writeConfig', { type: 'unknown_suffix', path, message, remedy });
  }
  writeFile(path, format(config), { overwrite: true });
}
