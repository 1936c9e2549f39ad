import type { SamplerType } from '../define-sampler.ts';

/** Any sampler, as far as its parameters do not matter. */
export type AnySampler = Pick<SamplerType, 'type' | 'schema'>;

/** Looks up a sampler by a name that the schema has accepted. */
export type SamplerOf = (samplerType: string) => SamplerType;

/** A lookup over a list of samplers. */
export function samplersByName(samplers: readonly AnySampler[]): SamplerOf {
  const byType = new Map(samplers.map((one) => [one.type, one as SamplerType]));
  return (samplerType) => byType.get(samplerType) as SamplerType;
}
