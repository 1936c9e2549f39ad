import type { SamplerType } from '../define-sampler.ts';

/** A sampler as far as its schema goes, whatever its parameters. */
export type AnySampler = Pick<SamplerType, 'type' | 'schema'>;

/** Gives the sampler of a name that a schema has accepted; its functions take the parameters of any. */
export type SamplerOf = (samplerType: string) => SamplerType;

/** Finds samplers of a list by their names. */
export function samplersByName(samplers: readonly AnySampler[]): SamplerOf {
  const byType = new Map(samplers.map((one) => [one.type, one as SamplerType]));
  return (samplerType) => byType.get(samplerType) as SamplerType;
}
