import { expect, test } from 'vitest';
import { countStatements } from './count-statements.ts';
import { withRuff } from './ruff.ts';

/** The expected counts come from Python's `ast`. */
test.each([
  ['', 0],
  ['# nothing\n', 0],
  ['x = 1', 1],
  ['x = 1; y = 2;\n', 2],
  ['"""Says what."""\n', 1],
  ['def f(): ...\n', 2],
  ['@dec\n@other(1)\ndef f(a: int = 1, *, b) -> int: return lambda x: x\n', 2],
  ['class A: x = 1; y = 2\n', 3],
  ['if x: pass\nelif y: pass\nelse: pass\n', 5],
  ['if x:\n    a\nelif y:\n    b\nelse:\n    c\n    d\n', 6],
  ['try:\n    a\nexcept A as e:\n    b\nelse:\n    c\nfinally:\n    d\n', 5],
  ['for i in x: pass\nelse: pass\n', 3],
  ['while True:\n    continue\n', 2],
  ['async def f():\n    async with a as b, c:\n        async for i in x: await y\n', 4],
  ['match x:\n    case {"a": 1}: pass\n    case _ if (lambda: 1)(): a; b\n', 4],
  ['case = 1\nmatch = 2\nmatch(x)\ntype = 3\ntype X = int\n', 5],
  ['x = {lambda: 1: 2}\nx[lambda: 1:2]\nif lambda: x: y\n', 4],
  ['x: int = 1\n', 1],
  ['x = (\n    1 +\n    2\n)\n', 1],
  ['x = 1 \\\n    + 2\n', 1],
  ['with (a as b, c as d):\n\n    # a remark\n\n    pass\n', 2],
  ['print(f"{x:>{w}} {y!r}")\nlambda: 1\n', 2],
  ['x = a if b else c\n', 1],
])('counts the statements of %j', (code, statements) => {
  expect(countStatements(withRuff((ruff) => ruff.tokens(code)))).toBe(statements);
});
