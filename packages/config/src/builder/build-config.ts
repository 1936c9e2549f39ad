import { itemsOf, type Violation } from '@data-designer/core';
import { isMapping } from '../spelling.ts';
import { checkDataset } from '../check/check-dataset.ts';
import type { ColumnRegistry } from '../column-registry.ts';
import { parseDataset, type ParsedDataset } from '../parse-dataset.ts';
import { readForm } from '../read-form.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import type { ModelDeclaration } from './declarations.ts';
import { refuseAll } from './refuse.ts';

/** A declaration written in camelCase, and what it is called in messages. */
interface Declared {
  readonly document: unknown;
  readonly source: string;
  readonly origin: 'local' | 'address';
}

/** What a declaration is read with. */
interface BuildSetting {
  readonly registry: ColumnRegistry;
  readonly defaultModels: () => readonly ModelDeclaration[];
}

/** What a run may be allowed. */
const LEFT_TO_RUNS = new Set(['local_file_refused', 'secret_refused', 'address_refused']);

/**
 * The checked form of a declaration; throws `config/invalid` with every mistake. Whether providers exist, and what
 * files of seed rows hold, is not asked: a run knows that.
 */
export function buildConfig(declared: Declared, setting: BuildSetting): DatasetConfig {
  const { parsed, found } = examine(declared, setting);
  refuseAll(
    declared.source,
    found.filter(({ type }) => !LEFT_TO_RUNS.has(type)),
  );
  return parsed.config;
}

/** The form of a declaration that can be written to a file; throws `config/invalid` where loading it would. */
export function loadableConfig(declared: Declared, setting: BuildSetting): DatasetConfig {
  const { parsed, found } = examine(declared, setting);
  refuseAll(
    declared.source,
    found.filter(({ stage }) => stage === 'load'),
  );
  return parsed.config;
}

function examine(
  { document, origin }: Declared,
  { registry, defaultModels }: BuildSetting,
): { parsed: ParsedDataset; found: readonly Violation[] } {
  const parsed = parseDataset(withModels(document, defaultModels), registry, { spelling: 'camel' });
  const permissions = { folder: process.cwd(), localFiles: origin === 'local', secrets: [] };
  return { parsed, found: checkDataset(parsed, { registry, permissions }) };
}

/** A builder that was never told of models has the default ones. */
function withModels(document: unknown, defaultModels: () => readonly ModelDeclaration[]): unknown {
  const isEmpty = isMapping(document) && itemsOf(document.modelConfigs).length === 0;
  return isEmpty ? { ...document, modelConfigs: defaultModels() } : document;
}

/** The names that a declared column writes, side effects included; only its own while its declaration has mistakes. */
export function writtenNames(
  declaration: { readonly name: string; readonly columnType: string },
  registry: ColumnRegistry,
): string[] {
  const type = registry.get(declaration.columnType);
  const parsed = type?.schema.safeParse(readForm(type.schema, declaration));
  if (!type || !parsed?.success) return [declaration.name];
  return type.writes(parsed.data as never).map(({ name }) => name);
}
