import type { RegisteredColumn } from '@data-designer/config';
import type { SamplerType } from '../define-sampler.ts';

/** What a plug-in may hold of samplers, whatever their parameters. */
type AnySampler = Pick<SamplerType, 'type' | 'schema'>;

/** What a module adds: types of columns, and samplers, each of which is a type of column under its own name. */
export interface Plugin<Columns extends readonly RegisteredColumn[] = readonly RegisteredColumn[]> {
  readonly columns?: Columns;
  readonly samplers?: readonly AnySampler[];
}

/** Declares a plug-in: its module exports it as `plugin`, and is named in `plugins` or `--plugins`. */
export function definePlugin<const Columns extends readonly RegisteredColumn[]>(
  plugin: Plugin<Columns>,
): Plugin<Columns> {
  return plugin;
}
