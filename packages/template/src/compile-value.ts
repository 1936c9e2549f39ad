import type { CellValue, Row } from '@data-designer/core';
import { checkSecure } from './compile/check-secure.ts';
import { NativeRender } from './compile/native-render.ts';
import type { RenderRules } from './compile/render.ts';
import { checkColumns, failureOf } from './compile/render-failure.ts';
import { compileTree } from './compile/statement.ts';
import type { TemplateOptions } from './compile-template.ts';
import { SECURE_FILTERS } from './filters/filters.ts';
import { jsonText } from './filters/json-text.ts';
import { parseTemplate } from './parse-template.ts';
import { FILTER_NAMES } from './syntax/builtin-names.ts';
import { parsePythonJson } from './value/decode-text.ts';
import { MAX_TEXT } from './value/meter.ts';

/**
 * Compiles a template into a function that gives its value: one expression keeps its type, as a list in `{{ rows }}`, and
 * anything else is text. Throws as `compileTemplate` does, without the limits of size of the Python tool, which has no such
 * templates.
 */
export function compileValue(source: string, options: TemplateOptions = {}): (record: Row) => CellValue {
  const { mode = 'secure', floatColumns = [], decode = true } = options;
  const parsed = parseTemplate(source.trim());
  const secure = mode === 'secure';
  if (secure) checkSecure(parsed.tree, false);
  const rules: RenderRules = {
    dialect: { strictUndefined: true, keyFirst: false, filters: secure ? SECURE_FILTERS : FILTER_NAMES },
    reading: { decode, floatColumns: new Set(floatColumns) },
    maxOutput: MAX_TEXT,
  };
  const run = compileTree(parsed.tree, rules.dialect);
  return (record) => {
    checkColumns(parsed, record);
    const render = new NativeRender(record, rules);
    try {
      run(render);
      const { result } = render;
      if (typeof result !== 'object' || result === null) return result;
      return parsePythonJson(jsonText(result, { indent: undefined, sortKeys: false, ascii: false }, render)) ?? null;
    } catch (thrown) {
      throw failureOf(thrown, { source, parsed, render });
    }
  };
}
