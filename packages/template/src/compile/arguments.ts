import { typeFault } from '../fault.ts';
import { type CallArguments, NO_CALL_ARGUMENTS } from '../value/callable.ts';
import { entriesOf, mapOf } from '../value/collections.ts';
import { iterate, textOf } from '../value/inspect.ts';
import type { Value } from '../value/value.ts';
import type { Arguments, Expression } from '../syntax/tree.ts';
import type { Evaluate, Render } from './render.ts';

/** Compiles the arguments of a call. */
export function compileArguments(
  given: Arguments,
  compile: (node: Expression) => Evaluate,
): (render: Render) => CallArguments {
  const positional = given.positional.map(compile);
  const keywords = given.keywords.map(({ name, value }) => [name, compile(value)] as const);
  const spread = given.spread === undefined ? undefined : compile(given.spread);
  const keywordSpread = given.keywordSpread === undefined ? undefined : compile(given.keywordSpread);
  if (spread === undefined && keywordSpread === undefined && keywords.length === 0) {
    if (positional.length === 0) return () => NO_CALL_ARGUMENTS;
    return (render) => ({ positional: positional.map((one) => one(render)), keywords: NO_CALL_ARGUMENTS.keywords });
  }
  return (render) => ({
    positional: [
      ...positional.map((one) => one(render)),
      ...(spread === undefined ? [] : spreadItems(spread(render), render)),
    ],
    keywords: new Map([
      ...keywords.map(([name, value]) => [name, value(render)] as const),
      ...(keywordSpread === undefined ? [] : keywordsOf(keywordSpread(render), render)),
    ]),
  });
}

function spreadItems(value: Value, render: Render): readonly Value[] {
  const items = iterate(value, render);
  render.chargeItems(items.length);
  return items;
}

function keywordsOf(value: Value, render: Render): readonly (readonly [string, Value])[] {
  const map = mapOf(value) ?? typeFault('** needs a mapping');
  return Array.from(
    entriesOf(map, render),
    ([key, item]) => [textOf(key) ?? typeFault('keywords must be strings'), item] as const,
  );
}
