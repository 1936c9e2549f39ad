import type { Row } from '@data-designer/core';
import { SECURE_FILTERS } from '../filters/filters.ts';
import type { ParsedTemplate } from '../parse-template.ts';
import { FILTER_NAMES } from '../syntax/builtin-names.ts';
import { MAX_TEXT } from '../value/meter.ts';
import { checkSecure } from './check-secure.ts';
import { checkColumns, emptyRenderFailure, failureOf } from './render-failure.ts';
import { JsonRender } from './json-render.ts';
import { Render, type RenderRules } from './render.ts';
import { compileTree } from './statement.ts';

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

/** What a template is written in: text, or the strings of JSON text, in which keys of a map win over its methods. */
export type Medium = 'text' | 'json';

/** The longest text that a secure template may make. */
const MAX_OUTPUT = 512_000;

/** Compiles a template that has been read into a function of a record. */
export function createRenderer(
  template: { readonly source: string; readonly parsed: ParsedTemplate },
  options: TemplateOptions,
  medium: Medium,
): RenderTemplate {
  const { source, parsed } = template;
  const rules = rulesOf(options, medium);
  const secure = (options.mode ?? 'secure') === 'secure';
  if (secure) checkSecure(parsed.tree);
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
    dialect: { leniency: 'lenient', keyFirst: medium === 'json', filters: secure ? SECURE_FILTERS : FILTER_NAMES },
    reading: { decode, floatColumns: new Set(floatColumns) },
    maxOutput: secure ? MAX_OUTPUT : MAX_TEXT,
  };
}
