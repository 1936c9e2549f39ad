export { compileTemplate } from './compile-template.ts';
export {
  compileObjectTemplate,
  objectReferences,
  type ObjectTemplate,
  type RenderObject,
} from './compile-object-template.ts';
export type { RenderTemplate, TemplateMode, TemplateOptions } from './compile/renderer.ts';
export { type ParsedTemplate, parseTemplate } from './parse-template.ts';
export { compileCondition, parseCondition } from './compile-condition.ts';
export { compileSkip, type ConditionOptions } from './compile-skip.ts';
export { pythonText } from './python-text.ts';
