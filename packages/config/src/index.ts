export { checkDataset, type ProviderNames, typeOf } from './check-dataset.ts';
export { ColumnRegistry } from './column-registry.ts';
export { columnFields, type ColumnSchema, defineColumn, type RegisteredColumn } from './define-column.ts';
export { loadDocument } from './load-document.ts';
export { joinProviders, loadProviders } from './load-providers.ts';
export { loadRunConfig, parseRunConfig } from './load-run-config.ts';
export { type ParsedDataset, parseDataset } from './parse-dataset.ts';
export { readForm, writeForm } from './read-form.ts';
export { datasetShell, type DatasetConfig } from './schemas/dataset-config.ts';
export type { ModelConfig } from './schemas/model-config.ts';
export { type MCPProvider, type ModelProvider, modelProvider, type Providers } from './schemas/providers.ts';
export type { RunConfig } from './schemas/run-config.ts';
export type { ToolConfig } from './schemas/tool-config.ts';
export { writeDataset } from './write-dataset.ts';
export { bindConfigBuilder, type ConfigBuilderClass } from './builder/bind-config-builder.ts';
export type { ColumnRow, ModelColumnRow } from './builder/column-row.ts';
export type { ColumnSet, ColumnSetOf, DeclarationOf } from './builder/column-set.ts';
export type { CastValue, DrawnSubvalue, DrawnValue, JudgedValue, StructuredValue } from './builder/column-value.ts';
export {
  type BuilderStart,
  DataDesignerConfigBuilder,
  type ModelDeclaration,
  type RowOf,
  type ToolDeclaration,
} from './builder/config-builder.ts';
export type { ConfigSource } from './builder/read-source.ts';
export type { TraceContentPart, TraceMessage } from './builder/trace-message.ts';
