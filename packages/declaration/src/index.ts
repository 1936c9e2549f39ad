export { builtInModelServers, builtInProviders, isSimulated, simulatedProviders } from './built-in-providers.ts';
export { compileDeclaration, type CompileSettings, keysOf, parseDeclaration } from './compile-declaration.ts';
export {
  type BuiltInColumns,
  type BuiltInRows,
  type ColumnsWith,
  configBuilderWith,
  DataDesignerConfigBuilder,
  type SamplerValues,
} from './config-builder.ts';
export { type AttemptBounds, configReport, type ConfigReport } from './config-report.ts';
export type {
  CreateOptions,
  DataDesignerOptions,
  JoinRunOptions,
  Permissions,
  PreviewDatasetOptions,
  StopOptions,
  ValidateOptions,
} from './data-designer-options.ts';
export type { Declaration, Declared, RecordOf } from './declaration.ts';
export { failureReport, type FailureReport, printReported, type ReportedViolation } from './failure-report.ts';
export type { TableOptions } from './open-tables.ts';
export {
  type GivenProviders,
  type LocalStdioMCPProvider,
  type MCPProvider,
  type ModelConfig,
  type ModelProvider,
  parseProviders,
  type RunConfig,
  type ToolConfig,
} from './options/given-providers.ts';
export {
  createRules,
  designerRules,
  joinRules,
  previewRules,
  providersRule,
  rehearsalRules,
  rulesOf,
  stopRules,
  validateRules,
} from './options/option-rules.ts';
export {
  type ClusterSettings,
  DEFAULT_ROWS,
  flaggedSettings,
  givenOptions,
  optionsFor,
  type OptionsOf,
  type OptionTable,
  type ResumeMode,
  type RunCall,
  type RunOption,
  runOptions,
  type ValueKind,
  type ValuesOf,
} from './options/run-options.ts';
export { packageFolder, packageVersion } from './options/package-version.ts';
export { exportedPaths, installedPackage, pluginAddress } from './options/plugin-address.ts';
export { endSettings, refuseUselessRetry, resolveMediaRoots, stopSignals } from './options/resolve-options.ts';
export { printSeed } from './seed-report.ts';
