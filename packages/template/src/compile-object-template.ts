import { type CellValue, DataDesignerError, type Row } from '@data-designer/core';
import { createRenderer, type TemplateOptions } from './compile-template.ts';
import { jsonText } from './filters/json-text.ts';
import { parseTemplate } from './parse-template.ts';
import { FILTER_NAMES } from './syntax/builtin-names.ts';
import { parsePythonJson } from './value/decode-text.ts';
import { Meter } from './value/meter.ts';

/** An object whose strings and keys are templates. */
export interface ObjectTemplate {
  readonly [key: string]: CellValue;
}

/** Renders an object template for one record; `random` as in `RenderTemplate`. */
export type RenderObject = (record: Row, random?: () => number) => Row;

/**
 * Compiles an object template once into a function of a record. Its JSON text is one template: strings stay strings, and
 * other literals keep their values. `a.b` finds a map's key before its method, and expressions may contain double-quoted
 * strings. Throws as `compileTemplate` does, and `template/record` if the result is no object.
 */
export function compileObjectTemplate(template: ObjectTemplate, options: TemplateOptions = {}): RenderObject {
  const source = sourceOf(template);
  const render = createRenderer({ source, parsed: parseTemplate(source, 'json') }, options, 'json');
  return (record, random) => {
    const object = parsePythonJson(render(record, random));
    if (isMap(object)) return object;
    throw new DataDesignerError('template/record', { reason: 'the result is not an object' });
  };
}

/** The columns that an object template may read, including names of global functions. Throws `template/*`. */
export function objectReferences(template: ObjectTemplate): readonly string[] {
  const { references, globals } = parseTemplate(sourceOf(template), 'json');
  return [...references, ...globals];
}

/** Writes a template as JSON text without escapes for non-ASCII letters, which column names may contain. */
function sourceOf(template: ObjectTemplate): string {
  const meter = new Meter({ strictUndefined: false, keyFirst: true, filters: FILTER_NAMES });
  return jsonText(template, { indent: undefined, sortKeys: false, ascii: false }, meter);
}

function isMap(value: CellValue | undefined): value is Row {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
