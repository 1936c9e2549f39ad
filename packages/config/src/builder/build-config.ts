import type { Violation } from '@data-designer/core';
import { checkDataset, type ProviderNames } from '../check-dataset.ts';
import type { ColumnRegistry } from '../column-registry.ts';
import { type ParsedDataset, parseDataset } from '../parse-dataset.ts';
import type { DatasetConfig } from '../schemas/dataset-config.ts';
import { inCamelCase } from './in-camel-case.ts';
import { refuseAll } from './refuse.ts';

/** A declaration written in camelCase, and what it is called in messages. */
interface Declared {
  readonly document: unknown;
  readonly source: string;
}

/**
 * The checked form of a declaration; throws `config/invalid` with every mistake. Whether the providers exist is not
 * asked: a run knows them.
 */
export function buildConfig({ document, source }: Declared, registry: ColumnRegistry): DatasetConfig {
  const parsed = parseDataset(document, registry);
  const refuse = (found: readonly Violation[]) =>
    refuseAll(
      source,
      found.map((one) => inCamelCase(one, document)),
    );
  refuse(parsed.violations);
  refuse(checkDataset(parsed, registry, namedProviders(parsed)));
  return parsed.config;
}

/** The providers that a declaration names, as if all were there. */
export function namedProviders({ config }: ParsedDataset): ProviderNames {
  return {
    models: config.modelConfigs.map(({ provider }) => provider),
    tools: config.toolConfigs.flatMap(({ providers }) => providers),
  };
}
