import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PERSONA_LOCALES, PERSONA_SIZES_GB } from '@data-designer/columns/personas';
import {
  type Home,
  joinProviders,
  type ModelConfig,
  type ModelProvider,
  unusableProvider,
} from '@data-designer/config';
import { MODEL_PROTOCOL_NAMES, variablesIn } from '@data-designer/core';
import { builtInProviders, simulatedProviders } from '@data-designer/declaration';

/** A model of the home folder, and whether a run could ask it. */
export interface ModelAliasState {
  readonly alias: string;
  readonly model: string;
  readonly generationType: string;
  readonly provider: string;
  readonly usable: boolean;
  /** Why it is not usable; null if it is. */
  readonly reason: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The models of the home folder, by alias; a model is usable if its provider exists and all its keys are set. */
export function modelAliasStates(home: Home, environment: Environment): readonly ModelAliasState[] {
  const providers = joinProviders(home.providers, builtInProviders);
  const simulated = simulatedProviders(home.providers);
  const byName = new Map(providers.models.map((provider) => [provider.name, provider]));
  const reasonOf = ({ provider }: ModelConfig): string | null => {
    const found = byName.get(provider);
    if (found) return mistakeIn(found, environment);
    return simulated.has(provider) ? null : `Provider '${provider}' is not configured.`;
  };
  const states = home.models.map((model) => {
    const { alias, provider, inferenceParameters } = model;
    const reason = reasonOf(model);
    const { generationType } = inferenceParameters;
    return { alias, model: model.model, generationType, provider, usable: reason === null, reason };
  });
  return states.toSorted((a, b) => (a.alias < b.alias ? -1 : 1));
}

/** Why no request can be sent to a provider; null if one can. */
function mistakeIn(provider: ModelProvider, environment: Environment): string | null {
  const unusable = unusableProvider(provider, MODEL_PROTOCOL_NAMES);
  if (unusable) return `${unusable.message.charAt(0).toUpperCase()}${unusable.message.slice(1)}`;
  const texts = [provider.apiKey ?? '', ...Object.values(provider.extraHeaders ?? {})];
  const missing = texts.flatMap(variablesIn).filter((name) => (environment[name] ?? '').trim() === '');
  if (missing.length === 0) return null;
  return `Provider '${provider.name}' is missing an API key: set ${[...new Set(missing)].join(' and ')}.`;
}

/** A persona collection that a sampler can draw from. */
interface PersonaDatasetState {
  readonly locale: string;
  /** The size of its file in GB. */
  readonly sizeGb: number;
  /** Whether its file is in the folder of managed assets. */
  readonly installed: boolean;
}

/** The folder of persona collections, and the collections by locale. */
export interface PersonaState {
  readonly folder: string;
  readonly datasets: readonly PersonaDatasetState[];
}

/** The persona collections of the locales that the sampler `person` knows. */
export function personaState({ folder }: Home): PersonaState {
  const datasets = join(folder.managedAssets, 'datasets');
  const states = PERSONA_LOCALES.toSorted().map((locale) => ({
    locale,
    sizeGb: PERSONA_SIZES_GB[locale],
    installed: existsSync(join(datasets, `${locale}.parquet`)),
  }));
  return { folder: datasets, datasets: states };
}
