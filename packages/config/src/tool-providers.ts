import { DataDesignerError } from '@data-designer/core';
import { kindOf } from '@data-designer/environments';
import { factsOf } from './check/column-facts.ts';
import type { ColumnRegistry } from './column-registry.ts';
import { locate } from './locate.ts';
import { parseDataset } from './parse-dataset.ts';
import type { ToolConfig } from './schemas/tool-config.ts';
import type { Spelling } from './document-path.ts';

/** A document, and what its columns may name without declaring it. */
interface ToolProvidersOptions {
  readonly registry: ColumnRegistry;
  /** The name of the document in messages. */
  readonly source: string;
  readonly spelling?: Spelling | undefined;
  /** Tool configs that columns may name: usually those of the home folder. */
  readonly knownTools: readonly ToolConfig[];
}

/** The tool providers that a declaration names. */
interface NamedToolProviders {
  readonly providers: readonly string[];
  /** Environments among them that have tools of their own. */
  readonly environments: readonly string[];
}

/**
 * The providers of the tool configs of a document, also of those that its columns take from elsewhere. Mistakes in other
 * parts of it do not matter; throws `config/invalid` for those in tool configs and environments.
 */
export function namedToolProviders(document: unknown, options: ToolProvidersOptions): NamedToolProviders {
  const { registry, source, spelling, knownTools } = options;
  const { config, violations, pathOf } = parseDataset(document, registry, spelling ? { spelling } : {});
  const root = pathOf();
  const parts = [pathOf('toolConfigs'), pathOf('environments')];
  // A key that is unknown may be one of these two, misspelt.
  const isOnTop = (path: string): boolean => !/[.[]/.test(root === '' ? path : path.slice(root.length + 1));
  const mistakes = violations.filter(
    ({ level, type, path }) =>
      level === 'ERROR' &&
      (path === root || (type === 'unknown_key' && isOnTop(path)) || parts.some((part) => path.startsWith(part))),
  );
  if (mistakes.length > 0) {
    throw new DataDesignerError('config/invalid', { source, violations: locate(mistakes, document) });
  }
  const declared = new Set(config.toolConfigs.map(({ toolAlias }) => toolAlias));
  const used = new Set(config.columns.flatMap((column) => factsOf(column, registry).requires.tools));
  const known = knownTools.filter(({ toolAlias }) => used.has(toolAlias) && !declared.has(toolAlias));
  const worlds = new Map(config.environments?.map((one) => [one.name, one]));
  const providers = new Set<string>();
  const environments = new Set<string>();
  for (const name of [...config.toolConfigs, ...known].flatMap((one) => one.providers)) {
    const world = worlds.get(name);
    const started = world ? kindOf(world).provider?.(world) : name;
    if (started === undefined) environments.add(name);
    else providers.add(started);
  }
  return { providers: [...providers], environments: [...environments] };
}
