export { compileTemplate, type RenderTemplate, type TemplateMode, type TemplateOptions } from './compile-template.ts';
export {
  compileObjectTemplate,
  objectReferences,
  type ObjectTemplate,
  type RenderObject,
} from './compile-object-template.ts';
export { compileTypedTemplate, isWholeTemplate, referenceIn } from './compile-typed-template.ts';
export { isTemplate } from './is-template.ts';
export { compileValue } from './compile-value.ts';
export { type ParsedTemplate, parseTemplate } from './parse-template.ts';
export { type AccessStep, type MemberAccess, memberAccesses } from './syntax/member-accesses.ts';
export { type OrderedValue, orderings } from './syntax/orderings.ts';
export { hasAttribute } from './methods/find-method.ts';
export { findMistakes, positionOfName, refuseMistakes } from './find-mistakes.ts';
export { compileCondition, parseCondition } from './compile-condition.ts';
export { compileSkip, type ConditionOptions, type DecideSkip } from './compile-skip.ts';
export { pythonText } from './value/print.ts';
