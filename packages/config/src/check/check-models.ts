import { fieldsOf, type FieldPath, itemsOf, knownNames } from '@data-designer/core';
import { kindOf } from '@data-designer/environments';
import { ADD_PROVIDER, addAt, addToColumn, type Check, runError, suggest } from './check.ts';
import type { ColumnFacts } from './column-facts.ts';

/** Checks that the models and tools that columns name are declared, fit the column, and have a known provider. */
export function checkModels(check: Check): void {
  const { config, knownTools, parsed } = check;
  const models = new Set([...config.modelConfigs.map(({ alias }) => alias), ...parsed.unread.models]);
  const declared = [...config.toolConfigs, ...knownTools].map(({ toolAlias }) => toolAlias);
  const tools = new Set([...declared, ...parsed.unread.tools]);
  for (const facts of check.facts) {
    checkModelAliases(check, facts, models);
    checkToolAliases(check, facts, tools);
  }
  checkProfilers(check, models);
  checkWorldModels(check, models);
  checkModelProviders(check);
  checkWeights(check);
  checkToolConfigs(check);
  checkHomeTools(check);
}

function checkModelAliases(check: Check, { column, requires }: ColumnFacts, known: ReadonlySet<string>): void {
  const { generationTypes = ['chat-completion'], worldModels = [] } = requires;
  // Models of environments are reported where those name them.
  for (const alias of requires.models.filter((one) => !worldModels.includes(one))) {
    const field = fieldNaming(column, alias);
    const error = known.has(alias)
      ? wrongType(check, alias, generationTypes)
      : unknownModel(alias, suggest(check, alias, { among: known }));
    if (error) addToColumn(check, column.name, { field, ...error });
  }
}

function unknownModel(alias: string, remedy: string): ReturnType<typeof runError> {
  return runError('unknown_model_alias', `there is no model config with the alias '${alias}'.`, remedy);
}

/** The error of a model that is declared for another generation type. */
function wrongType(check: Check, alias: string, types: readonly string[]): ReturnType<typeof runError> | undefined {
  const type = check.config.modelConfigs.findLast((model) => model.alias === alias)?.inferenceParameters.generationType;
  if (type === undefined || types.includes(type)) return undefined;
  const message = `the model '${alias}' has the generation type '${type}'.`;
  return runError(
    'wrong_generation_type',
    message,
    `Use a model with the generation type ${types.map((one) => `'${one}'`).join(' or ')}.`,
  );
}

/** The field of a column, or of an object in it, that names a model; a column may name several. */
export function fieldNaming(column: ColumnFacts['column'], alias: string): FieldPath {
  return fieldOfAlias(column, alias, /modelAlias$/i) ?? ['modelAlias'];
}

function checkToolAliases(check: Check, { column, requires }: ColumnFacts, known: ReadonlySet<string>): void {
  for (const alias of requires.tools) {
    if (known.has(alias)) continue;
    const message = `there is no tool config with the alias '${alias}'.`;
    const declare = `Declare it under '${check.parsed.pathOf('toolConfigs')}', with the name of a tool provider.`;
    const remedy = known.size === 0 ? declare : suggest(check, alias, { among: known });
    const error = runError('unknown_tool_alias', message, remedy);
    addToColumn(check, column.name, { field: fieldNamingTools(column, alias), ...error });
  }
}

/** The field of a column, or of an object in it, that names tools. */
export function fieldNamingTools(column: ColumnFacts['column'], alias: string): FieldPath {
  return fieldOfAlias(column, alias, /toolAlias$/i) ?? ['toolAlias'];
}

function fieldOfAlias(column: object, alias: string, key: RegExp): FieldPath | undefined {
  for (const [name, value] of Object.entries(column)) {
    if (value === alias && key.test(name)) return [name];
  }
  for (const [name, value] of Object.entries(column)) {
    const inner = Object.entries(fieldsOf(value)).find(([one, named]) => named === alias && key.test(one));
    if (inner) return [name, inner[0]];
  }
  return undefined;
}

function checkProfilers(check: Check, known: ReadonlySet<string>): void {
  check.config.profilers.forEach(({ modelAlias }, index) => {
    checkChatModel(check, { alias: modelAlias, known, path: ['profilers', index, 'modelAlias'] });
  });
}

/** Checks the models that environments ask. */
function checkWorldModels(check: Check, known: ReadonlySet<string>): void {
  (check.config.environments ?? []).forEach((environment, index) => {
    for (const { alias, field } of kindOf(environment).models?.(environment) ?? []) {
      checkChatModel(check, { alias, known, path: ['environments', index, ...field] });
    }
  });
}

function checkChatModel(
  check: Check,
  { alias, known, path }: { readonly alias: string; readonly known: ReadonlySet<string>; readonly path: FieldPath },
): void {
  const error = known.has(alias)
    ? wrongType(check, alias, ['chat-completion'])
    : unknownModel(alias, knownNames(alias, [...known]));
  if (error) addAt(check, path, error);
}

/** Checks the providers of models: an error for a model that a column uses, else a warning. */
function checkModelProviders(check: Check): void {
  const { config, facts, providers } = check;
  if (!providers) return;
  if (check.parsed.hasDefaultModels) return checkHomeModels(check, providers);
  const used = new Set([
    ...facts.flatMap(({ requires }) => requires.models),
    ...config.profilers.map(({ modelAlias }) => modelAlias),
  ]);
  const missing = new Map<string, number[]>();
  config.modelConfigs.forEach(({ alias, provider }, index) => {
    const level = used.has(alias) ? 'ERROR' : 'WARNING';
    const path = ['modelConfigs', index, 'provider'];
    if (!providers.models.includes(provider)) missing.set(provider, [...(missing.get(provider) ?? []), index]);
    const unusable = providers.unusable?.get(provider);
    if (unusable) addAt(check, path, { stage: 'run', type: 'unusable_provider', level, ...unusable });
  });
  for (const [name, models] of missing) {
    const aliases = models.flatMap((index) => config.modelConfigs[index]?.alias ?? []);
    const first = models.find((index) => used.has(config.modelConfigs[index]?.alias ?? '')) ?? models[0] ?? 0;
    const level = aliases.some((alias) => used.has(alias)) ? 'ERROR' : 'WARNING';
    const path = ['modelConfigs', first, 'provider'];
    checkProvider(check, { name, known: providers.models, level, path, users: aliases });
  }
}

/** Models of the home folder are not in the declaration: their errors are reported at the columns that name them. */
function checkHomeModels(check: Check, providers: NonNullable<Check['providers']>): void {
  for (const { column, requires } of check.facts) {
    for (const alias of requires.models) {
      const model = check.config.modelConfigs.findLast((one) => one.alias === alias);
      if (!model) continue;
      const unusable = providers.unusable?.get(model.provider);
      const isMissing = !providers.models.includes(model.provider);
      const reason = isMissing ? 'which is not declared.' : unusable?.message;
      if (reason === undefined) continue;
      const type = isMissing ? 'unknown_provider' : 'unusable_provider';
      const message = `the model '${alias}' of the home folder needs the provider '${model.provider}', ${reason}`;
      const remedy = unusable?.remedy ?? 'Declare the provider in the home folder, or pass it with --providers FILE.';
      addToColumn(check, column.name, { field: fieldNaming(column, alias), ...runError(type, message, remedy) });
    }
  }
}

/** Checks weights that load in the Python tool but that no value can be drawn with. */
function checkWeights(check: Check): void {
  if (check.parsed.hasDefaultModels) return;
  check.config.modelConfigs.forEach(({ inferenceParameters }, index) => {
    for (const [key, value] of Object.entries(inferenceParameters)) {
      const weights = itemsOf(fieldsOf(fieldsOf(value).params).weights).filter((one) => typeof one === 'number');
      if (weights.every((weight) => weight >= 0 && Number.isFinite(weight))) continue;
      const path = ['modelConfigs', index, 'inferenceParameters', key, 'params', 'weights'];
      const message = 'the weights must be finite numbers of 0 or more with a finite sum.';
      addAt(check, path, runError('invalid_weights', message, 'Use 0 for a value that should never be drawn.'));
    }
  });
}

interface NamedProvider {
  readonly name: string;
  readonly known: readonly string[];
  readonly level: 'ERROR' | 'WARNING';
  readonly path: FieldPath;
  /** The aliases of the models that name it. */
  readonly users?: readonly string[];
}

function checkProvider(check: Check, { name, known, level, path, users = [] }: NamedProvider): void {
  if (known.includes(name)) return;
  const remedy = `${knownNames(name, known)} ${ADD_PROVIDER}`;
  const of = users.length > 1 ? `, which the models ${users.map((one) => `'${one}'`).join(', ')} need` : '';
  addAt(check, path, { ...runError('unknown_provider', `there is no provider named '${name}'${of}.`, remedy), level });
}

function checkToolConfigs(check: Check): void {
  const { config, facts, providers } = check;
  const used = new Set(facts.flatMap(({ requires }) => requires.tools));
  const environments = (config.environments ?? []).map(({ name }) => name);
  config.toolConfigs.forEach(({ toolAlias, providers: named, allowTools }, index) => {
    const level = used.has(toolAlias) ? 'ERROR' : 'WARNING';
    const path = ['toolConfigs', index];
    if (allowTools?.length === 0) {
      const remedy = 'List tools, or remove the key to allow all tools.';
      const error = runError('empty_allow_list', 'the list of allowed tools is empty.', remedy);
      addAt(check, [...path, 'allowTools'], error);
    }
    if (named.length === 0) {
      const error = runError('no_providers', 'the list of providers is empty.', 'Add the name of an MCP provider.');
      addAt(check, [...path, 'providers'], { ...error, level });
    }
    named.forEach((name, position) => {
      if (!providers) return;
      const known = [...providers.tools, ...environments];
      const at = [...path, 'providers', position];
      checkProvider(check, { name, known, level, path: at });
      if (providers.processes?.get(name)?.namesRowFolder !== true || environments.includes(name)) return;
      const message = `the arguments of the provider '${name}' name the folder of a row, {{ row_dir }}, which only a server of one row has.`;
      const remedy = `Declare an environment { name: ${name}_of_row, kind: mcp, provider: ${name} }, and name that here.`;
      addAt(check, at, { ...runError('unusable_provider', message, remedy), level });
    });
  });
}

/** Tool configs of the home folder are not in the declaration: their errors are reported at the columns that name them. */
function checkHomeTools(check: Check): void {
  const { config, facts, knownTools, providers } = check;
  if (!providers) return;
  const declared = new Set(config.toolConfigs.map(({ toolAlias }) => toolAlias));
  for (const { column, requires } of facts) {
    for (const alias of requires.tools) {
      const tools = declared.has(alias) ? undefined : knownTools.find(({ toolAlias }) => toolAlias === alias);
      const missing = tools?.providers.find((name) => !providers.tools.includes(name));
      if (missing === undefined) continue;
      const message = `the tools '${alias}' of the home folder need the provider '${missing}', which is not declared.`;
      const error = runError(
        'unknown_provider',
        message,
        'Declare the provider in the home folder, or pass it with --providers FILE.',
      );
      addToColumn(check, column.name, { field: fieldNamingTools(column, alias), ...error });
    }
  }
}
