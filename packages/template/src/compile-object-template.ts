import { type CellValue, DataDesignerError, type Row } from '@data-designer/core';
import { createRenderer, type TemplateOptions } from './compile/renderer.ts';
import { jsonText } from './filters/json-text.ts';
import { parseTemplate } from './parse-template.ts';
import { FILTER_NAMES } from './syntax/builtin-names.ts';
import { parsePythonJson } from './value/decode-text.ts';
import { Meter } from './value/meter.ts';

/** A shape of JSON whose strings, keys included, are templates. */
export interface ObjectTemplate {
  readonly [key: string]: CellValue;
}

/** Makes an object of a template's shape for one record; `random` as for texts. */
export type RenderObject = (record: Row, random?: () => number) => Row;

/**
 * Compiles a shape once into a function of a record: its JSON text is one template, so what a string prints stays a
 * string, and literals stay what they are. Keys of a map win over its methods here, and a double-quoted string within an
 * expression is read as such. Throws as `compileTemplate` does; a record for which no object comes out is
 * `template/record`.
 */
export function compileObjectTemplate(template: ObjectTemplate, options: TemplateOptions = {}): RenderObject {
  const source = sourceOf(template);
  const render = createRenderer({ source, parsed: parseTemplate(source, 'json') }, options, 'json');
  return (record, random) => {
    const object = parsePythonJson(render(record, random));
    if (isMap(object)) return object;
    throw new DataDesignerError('template/record', { reason: 'the shape comes out as something other than an object' });
  };
}

/** The columns that a shape may ask for, names that are also words of the template language included. Throws `template/*`. */
export function objectReferences(template: ObjectTemplate): readonly string[] {
  const { references, globals } = parseTemplate(sourceOf(template), 'json');
  return [...references, ...globals];
}

/** The shape as JSON text, with letters of all alphabets as they are, so that names of columns can be read in it. */
function sourceOf(template: ObjectTemplate): string {
  const meter = new Meter({ leniency: 'lenient', keyFirst: true, filters: FILTER_NAMES });
  return jsonText(template, { indent: undefined, sortKeys: false, ascii: false }, meter);
}

function isMap(value: CellValue | undefined): value is Row {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
