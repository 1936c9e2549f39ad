import { isFailure, type Row } from '@data-designer/core';
import { checkSecure } from './compile/check-secure.ts';
import { refuse, rootContext } from './compile/context.ts';
import { compileExpression } from './compile/expression.ts';
import { checkColumns, emptyRenderFailure, failureOf } from './compile/render-failure.ts';
import { Render, type RenderRules } from './compile/render.ts';
import type { ConditionOptions } from './compile-skip.ts';
import { SECURE_FILTERS } from './filters/filters.ts';
import { type ParsedTemplate, parseTemplate } from './parse-template.ts';
import { syntaxError } from './syntax/lexer.ts';
import type { Expression } from './syntax/tree.ts';
import { MAX_TEXT } from './value/meter.ts';
import { str } from './value/print.ts';
import { truthy } from './value/inspect.ts';

const BEFORE = '{{ ';

/** Parses a condition, an expression without braces. */
export function parseCondition(source: string): ParsedTemplate & { readonly expression: Expression } {
  const parsed = parseWithin(source);
  const [statement, ...others] = parsed.tree;
  const parts = statement?.kind === 'output' && others.length === 0 ? statement.parts : [];
  const [expression] = parts;
  if (expression === undefined || expression.kind === 'data' || parts.length > 1) {
    return refuse('more than one expression in a condition', "Join conditions with 'and' or 'or'.");
  }
  return { ...parsed, expression, shift: BEFORE.length };
}

function parseWithin(source: string): ParsedTemplate {
  try {
    return parseTemplate(`${BEFORE}${source} }}`);
  } catch (thrown) {
    if (!isFailure(thrown, 'template/syntax') || thrown.data.line > 1) throw thrown;
    // The error must not mention the braces, which the condition does not have.
    const reason = thrown.data.reason
      .replace(/, at ' ?\}\}'$/, '')
      .replace(/ \}\}'$/, "'")
      .replace("'}}'", 'the end');
    throw syntaxError(reason, { line: 1, column: Math.max(1, thrown.data.column - BEFORE.length) });
  }
}

/**
 * Compiles a sampler's condition into a predicate on records, by the rules of secure templates. Text in cells stays text;
 * a value that is no boolean counts as Python's `bool` of it.
 */
export function compileCondition(source: string, options: ConditionOptions = {}): (record: Row) => boolean {
  const parsed = parseCondition(source);
  checkSecure(parsed.tree, true);
  const rules: RenderRules = {
    dialect: { strictUndefined: false, keyFirst: false, filters: SECURE_FILTERS },
    reading: { decode: false, floatColumns: new Set(options.floatColumns) },
    maxOutput: MAX_TEXT,
  };
  const evaluate = compileExpression(parsed.expression, rootContext(SECURE_FILTERS));
  return (record) => {
    checkColumns(parsed, record);
    const render = new Render(record, rules);
    try {
      const value = evaluate(render);
      if (typeof value === 'boolean') return value;
      if (str(value, render) !== '') return truthy(value, render);
    } catch (thrown) {
      throw failureOf(thrown, { source, parsed, render });
    }
    throw emptyRenderFailure({ source, parsed, render });
  };
}
