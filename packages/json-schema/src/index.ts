export { type AcceptArguments, compileArguments } from './compile-arguments.ts';
export { describeViolation, requiredSets } from './describe-violation.ts';
export {
  ANNOTATIONS,
  appendToPointer,
  asSchema,
  isSchema,
  type JsonSchema,
  mapValueSchema,
  prunesMembers,
  type ResolvedSchema,
  resolveReference,
  typesOf,
} from './json-schema.ts';
export { isValidSchema, loadAjv, schemaMistake } from './load-ajv.ts';
export { patternOf } from './patterns/pattern.ts';
export { plainNumbers, restoreNumbers } from './plain-numbers.ts';
export { isStoredAsJson, STORAGE_MARK, storageMistakes, withoutStorageMarks } from './storage-mark.ts';
export { jsonSchemaOf, standardOf, type StandardProps } from './standard-schema.ts';
export { type ArgumentsOf, parameterSchema, takenArguments, type ToolParameters } from './tool-parameters.ts';
export { withTimeLimit } from './with-time-limit.ts';
