export type { EnvironmentContext, EnvironmentRow } from './code/code-config.ts';
export {
  type CodeEnvironment,
  defineEnvironment,
  type EnvironmentDefinition,
  environmentOfModule,
  type EnvironmentToolDefinition,
} from './code/define-environment.ts';
export {
  type EnvironmentCall,
  type EnvironmentConfig,
  type EnvironmentKind,
  type EnvironmentMistake,
  type EnvironmentTool,
  fieldKey,
  isUnanswered,
  type OpenEnvironment,
  type OpenOptions,
  unanswered,
  type WorldQuestion,
  type WorldServer,
} from './environment-kind.ts';
export { type Environment, type EnvironmentInput, environmentKinds, kindOf } from './environment-kinds.ts';
