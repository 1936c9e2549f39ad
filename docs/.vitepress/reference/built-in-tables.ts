import { stockModelConfigs } from '@data-designer/config';
import { builtInModelServers, builtInProviders } from '../../../packages/data-designer/src/built-in-providers.ts';
import { code, table } from './markdown.ts';

/** The table of built-in model providers. */
export function builtInServers(): string {
  const simulated = builtInModelServers.map(({ name }) => [
    code(name),
    'started by the run',
    'none: answers are made up',
  ]);
  const others = builtInProviders.models.map(({ name, endpoint, apiKey }) => [
    code(name),
    code(endpoint),
    apiKey === null ? 'none' : `environment variable ${code(apiKey)}`,
  ]);
  return table(['Name', 'Endpoint', 'Key'], [...simulated, ...others]);
}

/** The table of models that exist without a file. */
export function builtInModels(): string {
  const rows = stockModelConfigs().map(({ alias, model, provider, inferenceParameters }) => {
    const { generationType, ...parameters } = inferenceParameters;
    const sent = ['temperature', 'topP', 'encodingFormat', 'extraBody'] as const;
    const shown = sent.flatMap((key) => {
      const value: unknown = Object.entries(parameters).find(([name]) => name === key)?.[1];
      return value === undefined || value === null ? [] : [code(`${snake(key)}: ${JSON.stringify(value)}`)];
    });
    return [code(alias), code(model), code(provider), [code(generationType), ...shown].join(', ')];
  });
  return table(['Alias', 'Model', 'Provider', 'Parameters'], rows);
}

function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
