export { type AcceptArguments, compileArguments } from './compile-arguments.ts';
export { describeViolation, requiredSets } from './describe-violation.ts';
export {
  ANNOTATIONS,
  asSchema,
  follow,
  isSchema,
  type JsonSchema,
  mapOf,
  prunesMembers,
  type ResolvedSchema,
  stepped,
  typesOf,
} from './json-schema.ts';
export { isJsonSchema, loadAjv } from './load-ajv.ts';
export { patternOf } from './patterns/pattern.ts';
export { plainNumbers, restoreNumbers } from './plain-numbers.ts';
export { jsonSchemaOf, standardOf, type StandardProps } from './standard-schema.ts';
