import type { RegisteredColumn } from '@data-designer/config';
import { samplerColumn } from '../sampler/sampler-column.ts';
import type { AnySampler } from '../sampler/sampler-of.ts';
import { sampler } from '../sampler/sampler.ts';
import { samplers } from '../samplers.ts';

/** Column types whose `sampler` column also offers further samplers; `guard` wraps that column. */
export function withSamplers(
  types: readonly RegisteredColumn[],
  further: readonly AnySampler[],
  guard: (column: RegisteredColumn) => RegisteredColumn = (column) => column,
): readonly RegisteredColumn[] {
  if (further.length === 0) return types;
  const own = guard(samplerColumn([...samplers, ...further]));
  return types.map((type) => (type.type === sampler.type ? own : type));
}
