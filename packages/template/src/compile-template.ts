import type { Row } from '@data-designer/core';
import { checkSecure } from './compile/check-secure.ts';
import { checkColumns, emptyRender, failureOf } from './compile/failure.ts';
import { Render, type RenderRules } from './compile/render.ts';
import { compileTree } from './compile/statement.ts';
import { SECURE_FILTERS } from './filters/filters.ts';
import { parseTemplate } from './parse-template.ts';
import { FILTER_NAMES } from './syntax/names.ts';
import { MAX_TEXT } from './value/meter.ts';

/** The two ways to render: `secure` has walls, `native` is Jinja2 less what is not supported. */
export type TemplateMode = 'secure' | 'native';

/** How a template is compiled. */
export interface TemplateOptions {
  readonly mode?: TemplateMode;
  /** Columns whose plain numbers are floats, so that 2 prints as `2.0`. */
  readonly floatColumns?: Iterable<string>;
  /** Whether text that is JSON counts as what it says; true unless said. */
  readonly decode?: boolean;
}

/** Renders a template for one record; `random` draws floats in [0, 1) for the filter of that name. */
export type RenderTemplate = (record: Row, random?: () => number) => string;

/** The longest text that a secure template may make. */
const MAX_OUTPUT = 512_000;

/**
 * Compiles a template once into a function of a record. Throws `template/syntax`, `template/refused`,
 * `template/unsupported-filter` or `template/limit` for what cannot be rendered; the function throws
 * `template/empty-render`, `template/record`, `template/limit` and `template/refused` for records that do not fit.
 */
export function compileTemplate(source: string, options: TemplateOptions = {}): RenderTemplate {
  const parsed = parseTemplate(source);
  const rules = rulesOf(options);
  const secure = (options.mode ?? 'secure') === 'secure';
  if (secure) checkSecure(parsed.tree);
  const run = compileTree(parsed.tree, rules.manners);
  return (record, random) => {
    checkColumns(parsed, record);
    const render = new Render(record, rules);
    render.random = random;
    try {
      run(render);
    } catch (thrown) {
      throw failureOf(thrown, { source, parsed, render });
    }
    if (secure && render.text === '') throw emptyRender({ source, parsed, render });
    return render.text;
  };
}

function rulesOf(options: TemplateOptions): RenderRules {
  const { mode = 'secure', floatColumns = [], decode = true } = options;
  const secure = mode === 'secure';
  return {
    manners: { leniency: 'lenient', keyFirst: false, filters: secure ? SECURE_FILTERS : FILTER_NAMES },
    reading: { decode, floatColumns: new Set(floatColumns) },
    maxOutput: secure ? MAX_OUTPUT : MAX_TEXT,
  };
}
