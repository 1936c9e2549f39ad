import type { Row } from '@data-designer/core';
import { failureOf } from './compile/render-failure.ts';
import { type Execute, Render, type RenderRules } from './compile/render.ts';
import { compileTree } from './compile/statement.ts';
import { parseTemplate } from './parse-template.ts';
import { FILTER_NAMES } from './syntax/builtin-names.ts';
import { Fault } from './fault.ts';
import { MAX_TEXT } from './value/meter.ts';
import { str } from './value/print.ts';
import type { Value } from './value/value.ts';
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

/**
 * Compiles `skip.when` into a predicate on records. An undefined, wrongly typed or hidden value means skip; a division by
 * zero or an exceeded limit throws. White space around the template does not count.
 */
export function compileSkip(source: string, options: ConditionOptions = {}): (record: Row) => boolean {
  const parsed = parseTemplate(source.trim());
  const rules: RenderRules = {
    dialect: { strictUndefined: true, keyFirst: false, filters: FILTER_NAMES },
    reading: { decode: true, floatColumns: new Set(options.floatColumns) },
    maxOutput: MAX_TEXT,
  };
  const run = compileTree(parsed.tree, rules.dialect);
  return (record) => {
    const render = new NativeRender(record, rules);
    try {
      run(render);
      const { result } = render;
      return typeof result === 'string' ? result !== '' && !isFalsyLiteral(result) : truthy(result, render);
    } catch (thrown) {
      if (thrown instanceof Fault && thrown.kind !== 'zero-division') return true;
      throw failureOf(thrown, { source, parsed, render });
    }
  };
}

/** Renders to a value: one printed value stays as it is, several become text. */
class NativeRender extends Render {
  #parts: Value[] = [];

  override emit(value: Value): void {
    this.charge(1);
    this.#parts.push(value);
  }

  override write(text: string): void {
    this.emit(text);
  }

  override capture(run: Execute): string {
    const before = this.#parts;
    this.#parts = [];
    run(this);
    const text = this.#joined();
    this.#parts = before;
    return text;
  }

  /** The printed value; None if there is none. */
  get result(): Value {
    const [first = null] = this.#parts;
    return this.#parts.length <= 1 ? first : this.#joined();
  }

  #joined(): string {
    return this.#parts.map((part) => str(part, this)).join('');
  }
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
