import type { SamplerType } from '../define-sampler.ts';
import { samplers } from '../samplers.ts';

const byType: ReadonlyMap<string, SamplerType> = new Map(
  samplers.map((one) => [one.type, one as unknown as SamplerType]),
);

/** The sampler of a name that a schema has accepted; its functions take the parameters of any. */
export function samplerOf(samplerType: string): SamplerType {
  return byType.get(samplerType) as SamplerType;
}
