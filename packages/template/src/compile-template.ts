import type { Row } from '@data-designer/core';
import { checkSecure } from './compile/check-secure.ts';
import { Render, type RenderRules } from './compile/render.ts';
import { checkColumns, emptyRenderFailure, failureOf } from './compile/render-failure.ts';
import { compileTree } from './compile/statement.ts';
import { SECURE_FILTERS } from './filters/filters.ts';
import { jsonText } from './filters/json-text.ts';
import { type ParsedTemplate, parseTemplate } from './parse-template.ts';
import { FILTER_NAMES } from './syntax/builtin-names.ts';
import type { Medium } from './syntax/lexer.ts';
import { mapOf } from './value/collections.ts';
import { MAX_TEXT } from './value/meter.ts';
import { htmlOf } from './operators.ts';
import { str } from './value/print.ts';
import { isList, type Value } from './value/value.ts';

/** `secure` restricts statements, filters and sizes; `native` supports all of Jinja2 that this package implements. */
export type TemplateMode = 'secure' | 'native';

/** How to compile a template. */
export interface TemplateOptions {
  readonly mode?: TemplateMode;
  /** Columns whose plain numbers are floats: 2 prints as `2.0`. */
  readonly floatColumns?: Iterable<string>;
  /** Whether to decode cells that are JSON text; default true. */
  readonly decode?: boolean;
  /**
   * Whether the Python tool must accept the template too: in secure mode, its limits of 10 levels and 600 nodes then apply.
   * Default true.
   */
  readonly isPortable?: boolean;
}

/** Renders a template for one record; `random` draws floats in [0, 1) for the filter of that name. */
export type RenderTemplate = (record: Row, random?: () => number) => string;

/** The longest output of a secure template. */
const MAX_OUTPUT = 512_000;

/**
 * Compiles a template once into a function of a record. Throws `template/syntax`, `template/refused`,
 * `template/unsupported-filter` or `template/limit`; the function throws `template/empty-render`, `template/record`,
 * `template/limit` and `template/refused` for a record that the template does not fit.
 */
export function compileTemplate(source: string, options: TemplateOptions = {}): RenderTemplate {
  return createRenderer({ source, parsed: parseTemplate(source) }, options, 'text');
}

/** Compiles a parsed template into a function of a record. */
export function createRenderer(
  template: { readonly source: string; readonly parsed: ParsedTemplate },
  options: TemplateOptions,
  medium: Medium,
): RenderTemplate {
  const { source, parsed } = template;
  const rules = rulesOf(options, medium);
  const secure = (options.mode ?? 'secure') === 'secure';
  if (secure) checkSecure(parsed.tree, options.isPortable ?? true);
  const run = compileTree(parsed.tree, rules.dialect);
  return (record, random) => {
    checkColumns(parsed, record);
    const render = medium === 'json' ? new JsonRender(record, rules) : new Render(record, rules);
    render.random = random;
    try {
      run(render);
    } catch (thrown) {
      throw failureOf(thrown, { source, parsed, render });
    }
    if (secure && render.text === '') throw emptyRenderFailure({ source, parsed, render });
    return render.text;
  };
}

function rulesOf(options: TemplateOptions, medium: Medium): RenderRules {
  const { mode = 'secure', floatColumns = [], decode = true } = options;
  const secure = mode === 'secure';
  return {
    dialect: { strictUndefined: false, keyFirst: medium === 'json', filters: secure ? SECURE_FILTERS : FILTER_NAMES },
    reading: { decode, floatColumns: new Set(floatColumns) },
    maxOutput: secure ? MAX_OUTPUT : MAX_TEXT,
  };
}

/** Renders JSON text and escapes printed values, so that none can end the string around it. */
class JsonRender extends Render {
  override emit(value: Value): void {
    const text = this.autoescape ? htmlOf(value, this) : this.#textOf(value);
    this.charge(text.length / 4);
    this.write(JSON.stringify(text).slice(1, -1));
  }

  override emitPlain(value: Value): void {
    super.emit(value);
  }

  /** Writes lists, maps, booleans and null as JSON, other values as Python prints them. */
  #textOf(value: Value): string {
    if (typeof value === 'boolean' || value === null) return String(value);
    const isData = isList(value) || mapOf(value) !== undefined;
    return isData ? jsonText(value, { indent: undefined, sortKeys: false }, this) : str(value, this);
  }
}
