import type { Row } from '@data-designer/core';
import { failureOf } from './compile/render-failure.ts';
import { NativeRender } from './compile/native-render.ts';
import type { RenderRules } from './compile/render.ts';
import { compileTree } from './compile/statement.ts';
import { parseTemplate } from './parse-template.ts';
import { FILTER_NAMES } from './syntax/builtin-names.ts';
import { isFalsyLiteral } from './value/falsy-literal.ts';
import { Fault } from './value/fault.ts';
import { MAX_TEXT } from './value/meter.ts';
import { truthy } from './value/truth.ts';

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
