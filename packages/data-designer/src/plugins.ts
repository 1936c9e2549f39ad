// For packages of plug-ins: declares column types, samplers, processors and seeds without loading the engine.
export {
  customColumn,
  type CustomGenerator,
  definePlugin,
  defineSampler,
  type GeneratorContext,
  type GeneratorNeeds,
  type Plugin,
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
} from '@data-designer/config';
export {
  type Cell,
  DataDesignerError,
  field,
  Float,
  type FunctionCell,
  functionOfModule,
  type FunctionQuestion,
  ParseFailure,
  type Random,
  type TypeFunction,
  valueType,
} from '@data-designer/core';
import '@data-designer/core';
