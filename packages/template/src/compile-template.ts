import { createRenderer, type RenderTemplate, type TemplateOptions } from './compile/renderer.ts';
import { parseTemplate } from './parse-template.ts';

/**
 * Compiles a template once into a function of a record. Throws `template/syntax`, `template/refused`,
 * `template/unsupported-filter` or `template/limit` for what cannot be rendered; the function throws
 * `template/empty-render`, `template/record`, `template/limit` and `template/refused` for records that do not fit.
 */
export function compileTemplate(source: string, options: TemplateOptions = {}): RenderTemplate {
  return createRenderer({ source, parsed: parseTemplate(source) }, options, 'text');
}
