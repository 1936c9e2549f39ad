import type { RegisteredColumn, RegisteredProcessor, RegisteredSeed } from '@data-designer/config';
import type { AnySampler } from '../define-sampler.ts';

/** Any processor or seed type of a plug-in. */
export type AnyProcessor = Pick<RegisteredProcessor, 'type' | 'schema'>;
export type AnySeed = Pick<RegisteredSeed, 'type' | 'schema'>;

/** The types that a plug-in adds. */
export interface Plugin<
  Columns extends readonly RegisteredColumn[] = readonly RegisteredColumn[],
  Processor extends AnyProcessor = AnyProcessor,
  Seed extends AnySeed = AnySeed,
  Samplers extends readonly AnySampler[] = readonly AnySampler[],
> {
  readonly columns?: Columns;
  readonly samplers?: Samplers;
  readonly processors?: readonly Processor[];
  readonly seeds?: readonly Seed[];
}

/** Declares a plug-in: its module exports it as `plugin`, and is named in `plugins` or `--plugins`. */
export function definePlugin<
  const Columns extends readonly RegisteredColumn[] = readonly [],
  Processor extends AnyProcessor = never,
  Seed extends AnySeed = never,
  const Samplers extends readonly AnySampler[] = readonly [],
>(plugin: Plugin<Columns, Processor, Seed, Samplers>): Plugin<Columns, Processor, Seed, Samplers> {
  return plugin;
}
