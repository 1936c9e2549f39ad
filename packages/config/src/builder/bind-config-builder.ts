import { checkDataset } from '../check/check-dataset.ts';
import { checkOptions, optionRule, type OptionRules } from '../check-options.ts';
import { ColumnRegistry, type FurtherTypes } from '../column-registry.ts';
import type { FetchOptions } from '../fetch/fetch-document.ts';
import { locate } from '../locate.ts';
import { parseDataset, type ParsedDataset } from '../parse-dataset.ts';
import { copyTextPart, rememberText, type SourceText, textPartOf } from '../source-text.ts';
import type { ColumnSet } from './column-set.ts';
import { type BuilderStart, ConfigBuilder } from './config-builder.ts';
import type {
  AttemptsDeclaration,
  ConstraintDeclaration,
  EnvironmentDeclaration,
  ModelDeclaration,
  ProcessorDeclaration,
  ProfilerDeclaration,
  SeedDeclaration,
  SeedOptions,
  SelectDeclaration,
  ToolDeclaration,
} from './declarations.ts';
import { type ConfigSource, readSource, type SourceDocument } from './read-source.ts';
import { refuseAll } from './invalid-config.ts';

/** A builder class with fixed column types. */
export interface ConfigBuilderClass<Columns extends ColumnSet> {
  /** Starts an empty config, or one with the models and tools of `start`. */
  new <const Alias extends string = string>(start?: BuilderStart<Alias>): ConfigBuilder<Columns, unknown, Alias>;
  /**
   * A builder with the declaration of a file, an address, a text or a mapping, in either spelling; its rows are not typed.
   * Rejects with `config/unreadable`, or `config/invalid` with all errors that show on loading.
   */
  fromConfig(source: ConfigSource, options?: FetchOptions): Promise<ConfigBuilder<Columns, Record<string, unknown>>>;
}

/** The defaults and additions of a builder class. */
export interface BindOptions {
  /** The models of a declaration without any; none unless given. */
  readonly defaultModels?: () => readonly ModelDeclaration[];
  /** Processors and seeds of plug-ins. */
  readonly further?: FurtherTypes;
}

const FETCH_RULES: OptionRules<FetchOptions> = { allowPrivate: optionRule.flag, timeoutMs: optionRule.amount };

/** Makes the builder class of a set of column types: the built-in ones, or those and your own. */
export function bindConfigBuilder<Columns extends ColumnSet>(
  types: Columns['types'],
  { defaultModels = () => [], further = {} }: BindOptions = {},
): ConfigBuilderClass<Columns> {
  const registry = new ColumnRegistry(types, further);
  class BoundConfigBuilder extends ConfigBuilder<ColumnSet> {
    constructor(start?: BuilderStart) {
      super({ registry, defaultModels }, start);
    }

    static async fromConfig(given: ConfigSource, options: FetchOptions = {}): Promise<ConfigBuilder<ColumnSet>> {
      checkOptions(options, FETCH_RULES, 'DataDesignerConfigBuilder.fromConfig()');
      const read = await readSource(given, options);
      const { source, origin } = read;
      // The builder gets the declared values, not the parsed ones: parsing normalises weights, which changes them.
      const declared = declaredIn(read, registry) as DeclaredParts;
      const { modelConfigs, toolConfigs } = declared;
      const builder = new BoundConfigBuilder({ modelConfigs, toolConfigs, source });
      for (const column of declared.columns) builder.addColumn<ColumnSet['declaration']>(column);
      for (const constraint of declared.constraints) builder.addConstraint(constraint);
      if (declared.seedConfig) builder.withSeedDataset(declared.seedConfig.source, withoutSource(declared.seedConfig));
      for (const processor of declared.processors) builder.addProcessor(processor);
      for (const profiler of declared.profilers) builder.addProfiler(profiler);
      for (const world of declared.environments ?? []) builder.addEnvironment(world);
      for (const block of declared.attempts ?? []) builder.addAttempts(block);
      if (declared.select) builder.select(declared.select);
      builder.origin = origin;
      return builder;
    }
  }
  return BoundConfigBuilder as unknown as ConfigBuilderClass<Columns>;
}

/** The declared parts of a document that loads. */
interface DeclaredParts {
  readonly columns: readonly ColumnSet['declaration'][];
  readonly modelConfigs: readonly ModelDeclaration[];
  readonly toolConfigs: readonly ToolDeclaration[];
  readonly seedConfig: SeedDeclaration | null;
  readonly constraints: readonly ConstraintDeclaration[];
  readonly profilers: readonly ProfilerDeclaration[];
  readonly processors: readonly ProcessorDeclaration[];
  readonly environments?: readonly EnvironmentDeclaration[];
  readonly attempts?: readonly AttemptsDeclaration[];
  readonly select?: SelectDeclaration;
}

function withoutSource(seed: SeedDeclaration): SeedOptions {
  const { source: _, ...options } = seed;
  return copyTextPart(seed, options);
}

/** The declared parts of a source that loads; `build` checks its references. */
function declaredIn({ document, source, origin }: SourceDocument, registry: ColumnRegistry): ParsedDataset['declared'] {
  const parsed = parseDataset(document, registry);
  const permissions = { folder: process.cwd(), localFiles: origin === 'local', secrets: [] };
  const found = checkDataset(parsed, { registry, permissions }).filter(({ stage }) => stage === 'load');
  refuseAll(source, locate(found, document));
  const text = textPartOf(document)?.source;
  if (text) rememberParts(parsed, text);
  return parsed.declared;
}

/** Remembers the places of declared parts in their text, for mistakes that the builder finds later. */
function rememberParts({ declared, pathOf }: ParsedDataset, text: SourceText): void {
  const { seedConfig, select, ...lists } = declared;
  for (const [list, parts] of Object.entries(lists)) {
    parts.forEach((part, index) => rememberText(part, text, pathOf(list, index)));
  }
  if (select) rememberText(select, text, pathOf('select'));
  rememberText(seedConfig, text, pathOf('seedConfig'));
  rememberText(seedConfig?.source, text, pathOf('seedConfig', 'source'));
}
