import type { Violation } from '@data-designer/core';
import { checkDataset } from '../check/check-dataset.ts';
import type { ColumnRegistry } from '../column-registry.ts';
import { type ParsedDataset, parseDataset } from '../parse-dataset.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import { refuseAll } from './refuse.ts';

/** A declaration written in camelCase, and what it is called in messages. */
interface Declared {
  readonly document: unknown;
  readonly source: string;
}

/**
 * The checked form of a declaration; throws `config/invalid` with every mistake. Whether providers exist, and what
 * files of seed rows hold, is not asked: a run knows that. What this version cannot carry out is no mistake.
 */
export function buildConfig(declared: Declared, registry: ColumnRegistry): DatasetConfig {
  const { parsed, found } = examine(declared, registry);
  refuseAll(
    declared.source,
    found.filter(({ type }) => type !== 'not_available'),
  );
  return parsed.config;
}

/** The form of a declaration that can be written to a file; throws `config/invalid` where loading it would. */
export function loadableConfig(declared: Declared, registry: ColumnRegistry): DatasetConfig {
  const { parsed, found } = examine(declared, registry);
  refuseAll(
    declared.source,
    found.filter(({ stage }) => stage === 'load'),
  );
  return parsed.config;
}

function examine(
  { document }: Declared,
  registry: ColumnRegistry,
): { parsed: ParsedDataset; found: readonly Violation[] } {
  const parsed = parseDataset(document, registry, { spelling: 'camel' });
  return { parsed, found: checkDataset(parsed, { registry }) };
}
