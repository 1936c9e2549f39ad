export { compileTemplate, type RenderTemplate, type TemplateMode, type TemplateOptions } from './compile-template.ts';
export { parseTemplate, type ParsedTemplate } from './parse-template.ts';
export { compileCondition, parseCondition } from './compile-condition.ts';
export { compileSkip, type ConditionOptions } from './compile-skip.ts';
export { pythonText } from './python-text.ts';
