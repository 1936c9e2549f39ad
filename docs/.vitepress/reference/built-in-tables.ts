import { stockModelConfigs } from '@data-designer/config';
import { builtInModelServers, builtInProviders } from '../../../packages/declaration/src/built-in-providers.ts';
import { distributionNames, distributionOf } from '../../../packages/columns/src/samplers/scipy/distributions.ts';
import { unsupportedNames } from '../../../packages/columns/src/samplers/scipy/unsupported.ts';
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

/** The distributions of the sampler `scipy`, with the limits of their parameters. */
export function scipyDistributions(): string[] {
  return [
    '### Distributions',
    'The distributions and their parameters have the names that `scipy.stats` gives them; every parameter in the table is required. The limits are those of scipy, except that most parameters must be finite, and that some sizes have a greatest value because a probability is a sum of as many terms. All of them also take `loc`, which shifts the values and is 0 by default. Those of floats take `scale`, which stretches the values and is 1 by default.',
    'Floats:',
    distributionTable(false),
    'Integers:',
    distributionTable(true),
    `These distributions of \`scipy.stats\` are not supported: ${unsupportedNames.map(code).join(', ')}. The message for such a name suggests a similar one.`,
  ];
}

function distributionTable(discrete: boolean): string {
  const rows = distributionNames()
    .toSorted()
    .flatMap((name) => {
      const distribution = distributionOf(name);
      if (distribution?.discrete !== discrete) return [];
      const limits = Object.entries(distribution.shapes).map(([shape, { says }]) => `${code(shape)}: ${says}`);
      const together = distribution.together ? [distribution.together.says.replaceAll("'", '`')] : [];
      return [[code(name), [...limits, ...together].join('; ')]];
    });
  return table(['`dist_name`', 'Parameters'], rows);
}

function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
