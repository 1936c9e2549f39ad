import type { RegisteredColumn } from '@data-designer/config';
import { samplers } from '../samplers.ts';
import { samplerColumn } from './sampler-column.ts';
import type { AnySampler } from '../define-sampler.ts';

/** Draws each cell from a distribution or a list, by the built-in sampler that it names. */
export const sampler = samplerColumn(samplers);

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
