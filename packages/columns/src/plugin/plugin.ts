import type { RegisteredColumn, RegisteredProcessor, RegisteredSeed } from '@data-designer/config';
import type { SamplerType } from '../define-sampler.ts';

/** What a plug-in may hold of samplers, whatever their parameters. */
type AnySampler = Pick<SamplerType, 'type' | 'schema'>;

/** The same of processors and of seeds, whatever their declarations. */
type AnyProcessor = Pick<RegisteredProcessor, 'type' | 'schema'>;
type AnySeed = Pick<RegisteredSeed, 'type' | 'schema'>;

/** What a module adds: types of columns, samplers, processors, and seeds. */
export interface Plugin<Columns extends readonly RegisteredColumn[] = readonly RegisteredColumn[]> {
  readonly columns?: Columns;
  readonly samplers?: readonly AnySampler[];
  readonly processors?: readonly AnyProcessor[];
  readonly seeds?: readonly AnySeed[];
}

/** Declares a plug-in: its module exports it as `plugin`, and is named in `plugins` or `--plugins`. */
export function definePlugin<const Columns extends readonly RegisteredColumn[]>(
  plugin: Plugin<Columns>,
): Plugin<Columns> {
  return plugin;
}
