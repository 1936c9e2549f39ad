import type { Row } from '@data-designer/core';
import { failureOf } from './compile/render-failure.ts';
import { NativeRender } from './compile/native-render.ts';
import type { RenderRules } from './compile/render.ts';
import { compileTree } from './compile/statement.ts';
import { parseTemplate } from './parse-template.ts';
import { FILTER_NAMES } from './syntax/builtin-names.ts';
import { Fault } from './fault.ts';
import { MAX_TEXT } from './value/meter.ts';
import { truthy } from './value/inspect.ts';

const ZERO = /^[+-]?(?:0(?:_?0)*|0[xX](?:_?0)+|0[bB](?:_?0)+|0[oO](?:_?0)+)$/;
const EMPTY = /^(?:None|False|\(\s*\)|\[\s*\]|\{\s*\}|set\(\s*\))$/;
/** Adjacent empty strings; three pairs of quotes may also be one string in triple quotes. */
const EMPTY_STRINGS = /^(?:[rRuUbB]{0,2}(?:''|"")\s*)+$/;
const FLOAT =
  /^[+-]?(?:\d+(?:_\d+)*\.(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*|\d+(?:_\d+)*(?=[eE]))(?:[eE][+-]?\d+(?:_\d+)*)?$/;

/** Python rejects deeper nesting of parentheses. */
const MAX_PARENTHESES = 200;

/** Options of conditions and skip rules. */
export interface ConditionOptions {
  /** Columns whose plain numbers are floats. */
  readonly floatColumns?: Iterable<string>;
}

/** Decides whether to skip the cell of a record; `onFault` gets why a value was skipped that the condition cannot read. */
export type DecideSkip = (record: Row, onFault?: (reason: string) => void) => boolean;

/**
 * Compiles `skip.when` into a predicate on records. An undefined, wrongly typed or hidden value means skip, and is told; a
 * division by zero or an exceeded limit throws. White space around the template does not count.
 */
export function compileSkip(source: string, options: ConditionOptions = {}): DecideSkip {
  const parsed = parseTemplate(source.trim());
  const rules: RenderRules = {
    dialect: { strictUndefined: true, keyFirst: false, filters: FILTER_NAMES },
    reading: { decode: true, floatColumns: new Set(options.floatColumns) },
    maxOutput: MAX_TEXT,
  };
  const run = compileTree(parsed.tree, rules.dialect);
  return (record, onFault) => {
    const render = new NativeRender(record, rules);
    try {
      run(render);
      const { result } = render;
      return typeof result === 'string' ? result !== '' && !isFalsyLiteral(result) : truthy(result, render);
    } catch (thrown) {
      if (thrown instanceof Fault && thrown.kind !== 'zero-division') {
        onFault?.(thrown.kind === 'undefined' ? `${thrown.message} has no value` : thrown.message);
        return true;
      }
      throw failureOf(thrown, { source, parsed, render });
    }
  };
}

/**
 * Whether a text is a Python literal whose `bool` is false, such as `0`, `False`, `None`, `[]` or `''`. Takes linear time.
 * Leading blanks make it no literal.
 */
function isFalsyLiteral(text: string): boolean {
  const outer = text.replace(/^\n+/, '').trimEnd();
  if (/^[ \t]/.test(outer)) return false;
  const literal = withoutParentheses(outer);
  if (EMPTY.test(literal) || ZERO.test(literal) || EMPTY_STRINGS.test(literal)) return true;
  return FLOAT.test(literal) && Number(literal.replaceAll('_', '')) === 0;
}

/** Removes parentheses around a value. */
function withoutParentheses(outer: string): string {
  let literal = outer;
  for (let depth = 0; depth < MAX_PARENTHESES; depth++) {
    if (!literal.startsWith('(') || !literal.endsWith(')') || literal.length < 2) return literal;
    const inner = literal.slice(1, -1).trim();
    if (inner === '') return literal;
    literal = inner;
  }
  return literal;
}
