import { fieldsOf, type FieldPath, itemsOf, knownNames } from '@data-designer/core';
import type { ModelConfig } from '../schemas/model-config.ts';
import { addAt, addToColumn, type Check, suggest } from './check.ts';
import type { ColumnFacts } from './column-facts.ts';

/** The models and tools that columns name must be declared, be of the right kind, and have a provider that is there. */
export function checkModels(check: Check): void {
  const models = new Set(modelAliases(check));
  const { config, knownTools, parsed } = check;
  const declared = [...config.toolConfigs, ...knownTools].map(({ toolAlias }) => toolAlias);
  const tools = new Set([...declared, ...parsed.unread.tools]);
  for (const facts of check.facts) {
    checkModelAliases(check, facts, models);
    checkToolAliases(check, facts, tools);
  }
  checkProfilers(check);
  checkModelProviders(check);
  checkDrawnWeights(check);
  checkToolConfigs(check);
}

function modelAliases({ config, parsed }: Check): string[] {
  return [...config.modelConfigs.map(({ alias }) => alias), ...parsed.unread.models];
}

function checkModelAliases(check: Check, { column, requires }: ColumnFacts, known: ReadonlySet<string>): void {
  const { generationTypes = ['chat-completion'] } = requires;
  for (const alias of requires.models) {
    const told = { field: fieldNaming(column, alias), stage: 'run', level: 'ERROR' } as const;
    if (!known.has(alias)) {
      const message = `there is no model config with the alias '${alias}'.`;
      const remedy = suggest(check, alias, { among: known });
      addToColumn(check, column.name, { ...told, type: 'unknown_model_alias', message, remedy });
      continue;
    }
    const made = check.config.modelConfigs.findLast((model) => model.alias === alias)?.inferenceParameters;
    if (made === undefined || generationTypes.includes(made.generationType)) continue;
    const message = `the model '${alias}' is declared to make something else: ${made.generationType}.`;
    const remedy = `Name a model of generation type ${generationTypes.join(' or ')}.`;
    addToColumn(check, column.name, { ...told, type: 'wrong_generation_type', message, remedy });
  }
}

/** The field by which a column names a model: not all of them ask one alone. */
function fieldNaming(column: ColumnFacts['column'], alias: string): FieldPath {
  const naming = Object.entries(column).find(([key, value]) => value === alias && /modelAlias$/i.test(key));
  return [naming?.[0] ?? 'modelAlias'];
}

function checkToolAliases(check: Check, { column, requires }: ColumnFacts, known: ReadonlySet<string>): void {
  for (const alias of requires.tools) {
    if (known.has(alias)) continue;
    addToColumn(check, column.name, {
      field: ['toolAlias'],
      stage: 'run',
      type: 'unknown_tool_alias',
      level: 'ERROR',
      message: `there is no tool config with the alias '${alias}'.`,
      remedy: suggest(check, alias, { among: known }),
    });
  }
}

function checkProfilers(check: Check): void {
  const known = modelAliases(check);
  check.config.profilers.forEach(({ modelAlias }, index) => {
    if (known.includes(modelAlias)) {
      const made = check.config.modelConfigs.findLast(({ alias }) => alias === modelAlias)?.inferenceParameters;
      if (made === undefined || made.generationType === 'chat-completion') return;
      addAt(check, ['profilers', index, 'modelAlias'], {
        stage: 'run',
        type: 'wrong_generation_type',
        level: 'ERROR',
        message: `the model '${modelAlias}' is declared to make something else: ${made.generationType}.`,
        remedy: 'Name a model of generation type chat-completion.',
      });
      return;
    }
    addAt(check, ['profilers', index, 'modelAlias'], {
      stage: 'run',
      type: 'unknown_model_alias',
      level: 'ERROR',
      message: `there is no model config with the alias '${modelAlias}'.`,
      remedy: knownNames(modelAlias, known),
    });
  });
}

/** A provider that nothing uses may be missing; one that a column's model needs may not. */
function checkModelProviders(check: Check): void {
  const { config, facts, providers } = check;
  if (!providers) return;
  const used = new Set([
    ...facts.flatMap(({ requires }) => requires.models),
    ...config.profilers.map(({ modelAlias }) => modelAlias),
  ]);
  if (check.parsed.hasDefaultModels) {
    checkHomeModels(check, providers);
    return;
  }
  config.modelConfigs.forEach(({ alias, provider }: ModelConfig, index) => {
    const level = used.has(alias) ? 'ERROR' : 'WARNING';
    const path = ['modelConfigs', index, 'provider'];
    checkProvider(check, { name: provider, known: providers.models, level, path });
    const unusable = providers.unusable?.get(provider);
    if (unusable) addAt(check, path, { stage: 'run', type: 'unusable_provider', level, ...unusable });
  });
}

/** Models of the home folder have no place in the declaration: what is wrong with one is told where it is named. */
function checkHomeModels(check: Check, providers: NonNullable<Check['providers']>): void {
  for (const { column, requires } of check.facts) {
    for (const alias of requires.models) {
      const model = check.config.modelConfigs.findLast((one) => one.alias === alias);
      if (!model) continue;
      const unusable = providers.unusable?.get(model.provider);
      const missing = providers.models.includes(model.provider) ? undefined : 'which is not there';
      const wrong = missing ?? unusable?.message;
      if (wrong === undefined) continue;
      addToColumn(check, column.name, {
        field: fieldNaming(column, alias),
        stage: 'run',
        type: missing === undefined ? 'unusable_provider' : 'unknown_provider',
        level: 'ERROR',
        message: `the model '${alias}' of the home folder needs the provider '${model.provider}', ${wrong}.`.replace(
          '..',
          '.',
        ),
        remedy: unusable?.remedy ?? 'Declare it there, or with --providers FILE.',
      });
    }
  }
}

/** Weights load whatever their sign, by the reference tool's rules; from some nothing can be drawn. */
function checkDrawnWeights(check: Check): void {
  if (check.parsed.hasDefaultModels) return;
  check.config.modelConfigs.forEach(({ inferenceParameters }, index) => {
    for (const [key, value] of Object.entries(inferenceParameters)) {
      const weights = weightsOf(value);
      if (weights.every((weight) => weight >= 0 && Number.isFinite(weight))) continue;
      const path = ['modelConfigs', index, 'inferenceParameters', key, 'params', 'weights'];
      const message = 'weights must be finite numbers of 0 or more, with a finite sum.';
      const told = { stage: 'run', type: 'invalid_weights', level: 'ERROR', message } as const;
      addAt(check, path, { ...told, remedy: 'Use 0 for a value that is never drawn.' });
    }
  });
}

function weightsOf(value: unknown): readonly number[] {
  const { weights } = fieldsOf(fieldsOf(value).params);
  return itemsOf(weights).filter((weight) => typeof weight === 'number');
}

function checkProvider(
  check: Check,
  at: { name: string; known: readonly string[]; level: 'ERROR' | 'WARNING'; path: FieldPath },
): void {
  const { name, known, level, path } = at;
  if (known.includes(name)) return;
  addAt(check, path, {
    stage: 'run',
    type: 'unknown_provider',
    level,
    message: `there is no provider named '${name}'.`,
    remedy: `${knownNames(name, known)} Others come from --providers FILE or the home folder.`,
  });
}

function checkToolConfigs(check: Check): void {
  const { config, facts, knownTools, providers } = check;
  const used = new Set(facts.flatMap(({ requires }) => requires.tools));
  const levelOf = (alias: string) => (used.has(alias) ? 'ERROR' : 'WARNING');
  config.toolConfigs.forEach(({ toolAlias, providers: named, allowTools }, index) => {
    const level = levelOf(toolAlias);
    if (allowTools?.length === 0) {
      const message = 'the list of allowed tools is empty.';
      const remedy = 'Name tools, or leave it out to allow all.';
      const told = { stage: 'run', type: 'empty_allow_list', level: 'ERROR', message, remedy } as const;
      addAt(check, ['toolConfigs', index, 'allowTools'], told);
    }
    if (named.length === 0) {
      const told = { stage: 'run', type: 'no_providers', level, message: 'it names no provider.' } as const;
      addAt(check, ['toolConfigs', index, 'providers'], { ...told, remedy: 'Name an MCP provider.' });
    }
    named.forEach((name, position) => {
      const path = ['toolConfigs', index, 'providers', position];
      if (providers) checkProvider(check, { name, known: providers.tools, level, path });
    });
  });
  const declared = new Set(config.toolConfigs.map(({ toolAlias }) => toolAlias));
  for (const { column, requires } of facts) {
    for (const alias of requires.tools) {
      const borrowed = declared.has(alias) ? undefined : knownTools.find(({ toolAlias }) => toolAlias === alias);
      const missing = borrowed?.providers.find((name) => providers && !providers.tools.includes(name));
      if (missing === undefined) continue;
      const message = `the tools '${alias}' of the home folder need the provider '${missing}', which is not there.`;
      const told = { stage: 'run', type: 'unknown_provider', level: 'ERROR', message } as const;
      addToColumn(check, column.name, {
        field: ['toolAlias'],
        ...told,
        remedy: 'Declare it there, or with --providers FILE.',
      });
    }
  }
}
