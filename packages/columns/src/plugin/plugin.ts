import type { RegisteredColumn, RegisteredProcessor, RegisteredSeed } from '@data-designer/config';
import type { SamplerType } from '../define-sampler.ts';

/** What a plug-in may hold of samplers, whatever their parameters. */
type AnySampler = Pick<SamplerType, 'type' | 'schema'>;

/** The same of processors and of seeds, whatever their declarations. */
export type AnyProcessor = Pick<RegisteredProcessor, 'type' | 'schema'>;
export type AnySeed = Pick<RegisteredSeed, 'type' | 'schema'>;

/** What a module adds: types of columns, samplers, processors, and seeds. */
export interface Plugin<
  Columns extends readonly RegisteredColumn[] = readonly RegisteredColumn[],
  Processor extends AnyProcessor = AnyProcessor,
  Seed extends AnySeed = AnySeed,
> {
  readonly columns?: Columns;
  readonly samplers?: readonly AnySampler[];
  readonly processors?: readonly Processor[];
  readonly seeds?: readonly Seed[];
}

/** Declares a plug-in: its module exports it as `plugin`, and is named in `plugins` or `--plugins`. */
export function definePlugin<
  const Columns extends readonly RegisteredColumn[],
  Processor extends AnyProcessor = never,
  Seed extends AnySeed = never,
>(plugin: Plugin<Columns, Processor, Seed>): Plugin<Columns, Processor, Seed> {
  return plugin;
}
