import { type FieldPath, isSecretName, readSecret, variablesIn, type Violation } from '@data-designer/core';
import { namesVariable } from '../home/secret-text.ts';
import type { MCPProvider, ModelProvider, Providers } from '../schemas/providers.ts';
import { partOf } from '../spelling.ts';
import { fieldNaming, fieldNamingTools } from './check-models.ts';
import { addAt, addToColumn, type Check } from './check.ts';

/** The providers with their keys, and the environment that holds the values. */
export interface KeyOptions {
  readonly providers: Providers;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Only keys that look like names and would be sent as they are: a run refuses the others itself. */
  readonly onlySent?: boolean;
}

/** A key of a provider whose environment variable has no value. */
interface UnsetKey {
  /** The config key, such as `api_key` or `env.TOKEN`. */
  readonly key: string;
  readonly variable: string;
  /** Whether it is written as `${NAME}`; other text is sent as it is. */
  readonly isReference: boolean;
}

/** Warns of providers in use, and of seeds, whose keys name environment variables without a value. */
export function checkKeys(check: Check, { providers, environment, onlySent = false }: KeyOptions): void {
  const isUnset = unsetIn(environment);
  const told = new Set<string>();
  for (const { kind, name, path, column } of [...modelProviders(check), ...toolProviders(check)]) {
    const known: readonly (ModelProvider | MCPProvider)[] = providers[kind];
    const provider = known.find((one) => one.name === name);
    const owner = `${kind === 'models' ? 'model' : 'MCP'} provider '${name}'`;
    if (!provider || told.has(owner)) continue;
    told.add(owner);
    for (const unset of unsetKeys(provider, isUnset)) {
      if (onlySent && unset.isReference) continue;
      const warning = warningOf(owner, unset);
      if (column === undefined) addAt(check, path, warning);
      else addToColumn(check, column, { field: path, ...warning });
    }
  }
  if (!onlySent) checkSeedKeys(check, isUnset);
}

/** The environment variables without a value that the keys of a provider name. */
export function unsetVariables(
  provider: ModelProvider | MCPProvider,
  environment: KeyOptions['environment'],
): readonly string[] {
  return [...new Set(unsetKeys(provider, unsetIn(environment)).map(({ variable }) => variable))];
}

function unsetIn(environment: KeyOptions['environment']): (name: string) => boolean {
  return (name) => (Object.hasOwn(environment, name) ? (environment[name] ?? '') : '').trim() === '';
}

function warningOf(owner: string, { key, variable, isReference }: UnsetKey): Omit<Violation, 'column' | 'path'> {
  if (!isReference) {
    const message = `the ${key} of the ${owner} is ${variable}. No environment variable of this name is set, so the text ${variable} is sent as the key.`;
    const remedy = `Set ${variable}, or remove ${key} if no key is needed.`;
    return { stage: 'run', type: 'missing_key', level: 'WARNING', message, remedy };
  }
  const message = `the ${owner} takes its ${key} from the environment variable ${variable}, which is not set.`;
  return { stage: 'run', type: 'missing_key', level: 'WARNING', message, remedy: `Set ${variable} before a run.` };
}

/** A provider that the dataset uses, with the place that names it. */
interface NamedProvider {
  readonly kind: 'models' | 'tools';
  readonly name: string;
  /** In the dataset, or in the column if that names a model or tools of the home folder. */
  readonly path: FieldPath;
  readonly column?: string;
}

/** The providers of the models in use. Models of the home folder are named by columns alone. */
function modelProviders({ config, facts, parsed }: Check): readonly NamedProvider[] {
  const used = new Set([
    ...facts.flatMap(({ requires }) => requires.models),
    ...config.profilers.map(({ modelAlias }) => modelAlias),
  ]);
  const kind = 'models';
  if (!parsed.hasDefaultModels) {
    return config.modelConfigs.flatMap(({ alias, provider: name }, index) =>
      used.has(alias) ? [{ kind, name, path: ['modelConfigs', index, 'provider'] }] : [],
    );
  }
  return facts.flatMap(({ column, requires }) =>
    requires.models.flatMap((alias) => {
      const model = config.modelConfigs.findLast((one) => one.alias === alias);
      return model ? [{ kind, name: model.provider, path: fieldNaming(column, alias), column: column.name }] : [];
    }),
  );
}

/** The providers of the tools in use. Tool configs of the home folder are named by columns alone. */
function toolProviders({ config, facts, knownTools }: Check): readonly NamedProvider[] {
  const used = new Set(facts.flatMap(({ requires }) => requires.tools));
  const declared = new Set(config.toolConfigs.map(({ toolAlias }) => toolAlias));
  const kind = 'tools';
  const inConfig = config.toolConfigs.flatMap(({ toolAlias, providers }, index) =>
    used.has(toolAlias)
      ? providers.map(
          (name, position) => ({ kind, name, path: ['toolConfigs', index, 'providers', position] }) as const,
        )
      : [],
  );
  const inHome = facts.flatMap(({ column, requires }) =>
    requires.tools
      .filter((alias) => !declared.has(alias))
      .flatMap((alias) =>
        (knownTools.find(({ toolAlias }) => toolAlias === alias)?.providers ?? []).map(
          (name) => ({ kind, name, path: fieldNamingTools(column, alias), column: column.name }) as const,
        ),
      ),
  );
  return [...inConfig, ...inHome];
}

/** The keys of a provider that name variables without a value. */
function unsetKeys(provider: ModelProvider | MCPProvider, isUnset: (name: string) => boolean): readonly UnsetKey[] {
  const [group, values] = filledValues(provider);
  const apiKey = 'apiKey' in provider && provider.apiKey ? variablesOfKey(provider.apiKey, 'api_key') : [];
  const others = Object.entries(values ?? {}).flatMap(([name, value]) =>
    variablesIn(value).map((variable) => ({ key: `${group}.${name}`, variable, isReference: true })),
  );
  return [...apiKey, ...others].filter(({ variable }) => isUnset(variable));
}

/** The values of a provider in which `${NAME}` is replaced, and their key. */
function filledValues(
  provider: ModelProvider | MCPProvider,
): readonly [string, ModelProvider['extraHeaders'] | undefined] {
  if ('extraHeaders' in provider) return ['extra_headers', provider.extraHeaders];
  return 'env' in provider ? ['env', provider.env] : ['headers', provider.headers];
}

/** The variable that a key names: `${NAME}`, or text that looks like a name. */
function variablesOfKey(key: string, written: string): readonly UnsetKey[] {
  const reference = readSecret(key);
  if (reference.from === 'environment') return [{ key: written, variable: reference.name, isReference: true }];
  return namesVariable(key) ? [{ key: written, variable: key, isReference: false }] : [];
}

/** A seed may be fetched with a token. */
function checkSeedKeys(check: Check, isUnset: (name: string) => boolean): void {
  const { seedConfig } = check.config;
  if (!seedConfig) return;
  const { transport = [] } = check.registry.seedKindOf(seedConfig.source);
  for (const key of transport.filter(isSecretName)) {
    const value = partOf(seedConfig.source, key);
    for (const unset of typeof value === 'string' ? variablesOfKey(value, key) : []) {
      if (isUnset(unset.variable)) addAt(check, ['seedConfig', 'source', key], warningOf('seed', unset));
    }
  }
}
