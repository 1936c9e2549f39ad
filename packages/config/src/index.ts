export { bindConfigBuilder, type ConfigBuilderClass } from './builder/bind-config-builder.ts';
export type { ColumnRow, RowsOf, RowWith, StateRow } from './builder/column-row.ts';
export type { ColumnSetOf, DeclarationOf } from './builder/column-set.ts';
export type { CastValue, DrawnSubvalue, DrawnValue, JudgedValue, StructuredValue } from './builder/column-value.ts';
export { ConfigBuilder, type RowOf } from './builder/config-builder.ts';
export { withEnvironments } from './environment-columns.ts';
export { attemptFields, decisionColumn, decisionName, keepOf, untilIn } from './attempt-columns.ts';
export type { ModelDeclaration, SelectDeclaration, ToolDeclaration } from './builder/declarations.ts';
export { readSource } from './builder/read-source.ts';
export { copyDeclaration } from './builder/copy-declaration.ts';
export type { SeedDeclaration } from './builder/declarations.ts';
export type { Message } from '@data-designer/core';
export { unsetVariables } from './check/check-keys.ts';
export { loadRemedies } from './load-remedies.ts';
export { checkSource } from './check/check-source.ts';
export { checkDataset, type CheckOptions } from './check/check-dataset.ts';
export { checkSeedSource } from './check/check-seed.ts';
export { parseSelect } from './check/check-select.ts';
export { canonicalJson } from './canonical-json.ts';
export { ROW_ID } from './check/check.ts';
export { checkOptions, oneOf, type OptionRule, optionRule, type OptionRules } from './check-options.ts';
export { addedBeforeRows, type ColumnFacts, factsOf, isGrouped, typeOf } from './check/column-facts.ts';
export { type Dependencies, dependenciesOf } from './check/dependencies.ts';
export { orderColumns } from './check/order-columns.ts';
export { ColumnRegistry, type FurtherTypes } from './column-registry.ts';
export { columnFields, defineColumn, type RegisteredColumn, sourceColumnFields } from './define-column.ts';
export {
  defineProcessor,
  type Process,
  type ProcessContext,
  processorFields,
  type RegisteredProcessor,
} from './define-processor.ts';
export { defineSeed, type RegisteredSeed, type SeedContext, seedFields, type SeedType } from './define-seed.ts';
export { fetchDocument } from './fetch/fetch-document.ts';
export { fetchReason, FetchRefusal } from './fetch/fetch-refusal.ts';
export { type Answer, guardedRequest, redirectTarget, type RequestContent } from './fetch/guarded-request.ts';
export { readBody } from './fetch/read-body.ts';
export { shownAddress } from './fetch/shown-address.ts';
export { cellIdentityOf, compiledFingerprint, fingerprintOf, identityOf, rowIdColumn } from './fingerprint.ts';
export { loadDocument, parseDocument } from './load-document.ts';
export { locate } from './locate.ts';
export { copyTextPart, rememberText, textPartOf } from './source-text.ts';
export { editHome } from './home/edit-home.ts';
export { type HomeFile, homeFolder, type HomeFolder } from './home/home-folder.ts';
export { type HomeTable, homeTables } from './home/home-tables.ts';
export { initHome, resetHome } from './home/write-home.ts';
export {
  CATALOG_TTL_SECONDS,
  editPluginCatalogs,
  type PluginCatalogEntry,
  readPluginCatalogs,
} from './home/plugin-catalogs.ts';
export { type Home, readHome } from './home/read-home.ts';
export { looksLikeKey, showEndpoint } from './home/secret-text.ts';
export { stockModelConfigs, stockModelProviders } from './home/stock.ts';
export { unusableProvider } from './schemas/providers.ts';
export { endpointMistakes, joinProviders, loadProviders } from './load-providers.ts';
export { loadRunConfig, parseRunConfig, settingsWithoutEffect } from './load-run-config.ts';
export { matchesSteps, type Step, shellPattern } from './name-pattern.ts';
export { parseDataset, type ParsedDataset } from './parse-dataset.ts';
export { configJsonSchema, fileSchema } from './config-json-schema.ts';
export { anyFloat, readForm, readsAs, writeForm } from './read-form.ts';
export { customProcessor } from './processors/custom.ts';
export { processorTypes } from './processors/processor-types.ts';
export { loadPrices, noPrices, type PriceOf } from './prices/load-prices.ts';
export { type DatasetConfig, datasetShell } from './schemas/dataset-config.ts';
export { checkWeights, type Distribution, withNormalWeights } from './schemas/distribution.ts';
export { exactNumbers } from './schemas/exact-value.ts';
export {
  type InferenceParameters,
  MAX_ANSWER_MB,
  type ModelConfig,
  TOTAL_TIMEOUT_SECONDS,
  ATTEMPT_TIMEOUT_SECONDS,
} from './schemas/model-config.ts';
export type { Processor } from './processors/processor-types.ts';
export {
  type ExecutionProvider,
  executionProvider,
  type ExecutionProviderSettings,
  MAX_PARALLEL_TOOL_CALLS,
  type LocalStdioMCPProviderSettings,
  type MCPProvider,
  mcpProvider,
  type MCPProviderSettings,
  type ModelProvider,
  modelProvider,
  type ModelProviderSettings,
  type Providers,
  type RemoteMCPProviderSettings,
} from './schemas/providers.ts';
export { runConfig, type RunConfig, type RunSettings, SETTINGS_WITHOUT_EFFECT } from './schemas/run-config.ts';
export type { AttemptsConfig } from './schemas/attempts-config.ts';
export { type SelectConfig, selectConfig } from './schemas/select-config.ts';
export type { SeedConfig } from './schemas/seed-config.ts';
export { directorySeed, fileContentsSeed } from './seed/file-seeds.ts';
export type { FolderKind } from './seed/folder-kind.ts';
export { HUB, hubAddress, isUnencrypted } from './seed/hub-seed.ts';
export { type LeftOut, listSeedFiles, sayLeftOut, type SeedFolder } from './seed/list-seed-files.ts';
export { type DeclaredTable, findTable, TABLE_FORMATS, tableFormat, type TableFormat } from './seed/local-seed.ts';
export { MCP_TOOL_FIELDS } from './seed/mcp-tools-seed.ts';
export { type ArrowTableLike, isArrowTable, type MemoryRows } from './seed/memory-seed.ts';
export { pluginSeedColumns } from './seed/plugin-seed.ts';
export { rolloutSeed } from './seed/rollout-seed.ts';
export { type SeedCheckOptions, seedTypeOf } from './seed/seed-kind.ts';
export { seedKinds, type SeedSource } from './seed/seed-kinds.ts';
export { type DecodeText, isUtf8, textDecoderOf } from './seed/text-codec.ts';
export type { ToolConfig } from './schemas/tool-config.ts';
export { namedToolProviders } from './tool-providers.ts';
export { camelCase, given, isGiven, isMapping, type Mapping, snakeCase } from './spelling.ts';
export { type Spelling } from './document-path.ts';
export { parseForm } from './violations.ts';
export { makePrivateFolder, writeFile } from './write-file.ts';
export { WHERE_COLUMN, whereColumn, whereTemplate } from './where-column.ts';
export { writeDataset, type WrittenDataset } from './write-dataset.ts';
