// For packages of plug-ins: declares column types, samplers, processors, seeds and commands without loading the engine.
export {
  customColumn,
  type CustomGenerator,
  definePlugin,
  defineSampler,
  type GeneratorContext,
  type GeneratorNeeds,
  type Plugin,
  type PluginCommand,
  type SamplerType,
} from '@data-designer/columns';
export {
  columnFields,
  type ColumnRow,
  customProcessor,
  defineColumn,
  defineProcessor,
  defineSeed,
  type Process,
  type ProcessContext,
  processorFields,
  type SeedContext,
  seedFields,
  type SeedType,
} from '@data-designer/config';
export {
  type Cell,
  type ColumnConfig,
  type ColumnType,
  DataDesignerError,
  field,
  Float,
  type FunctionCell,
  functionOfModule,
  type FunctionQuestion,
  ParseFailure,
  type ProcessorConfig,
  type ProcessorType,
  type Random,
  type TypeFunction,
  valueType,
} from '@data-designer/core';
import '@data-designer/core';
