export { areBoundedColumnTypes, columnTypes } from './column-types.ts';
export {
  customColumn,
  type CustomGenerator,
  type GeneratorContext,
  type GeneratorNeeds,
} from './custom/custom-column.ts';
export type { ConversationEnd } from './conversation/conversation-schema.ts';
export type { MadeUpPerson } from './samplers/person-from-faker/draw-made-up-person.ts';
export { formatOfFields, formatOfSchema, type RowFormat } from './custom/row-format.ts';
export { structuredRecipe } from './llm-structured/llm-structured.ts';
export { type Conversion, defineSampler, type SamplerType } from './define-sampler.ts';
export { endingOf, sniffMediaType, storedFileOf } from './media-context/media-formats.ts';
export { loadPluginCommand, loadPlugins, loadPluginTypes } from './plugin/load-plugins.ts';
export {
  type AnyProcessor,
  type AnySeed,
  definePlugin,
  NO_PLUGIN,
  type Plugin,
  type PluginCommand,
  type PluginTypes,
} from './plugin/plugin.ts';
export { withSamplers } from './sampler/sampler.ts';
export type { SampledRow, ValuesOf } from './sampler/sampled-value.ts';
export { samplers } from './samplers.ts';
export type { AnySampler } from './define-sampler.ts';
export type { SamplerSchema } from './sampler/sampler-schema.ts';
