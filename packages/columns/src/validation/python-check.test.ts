import { expect, test } from 'vitest';
import { Float } from '@data-designer/core';
import { pythonCheck } from './python-check.ts';

const judge = await pythonCheck.open();

/** A verdict in short: validity, score, severity, and the type, rule and line of each message. */
function told(code: string) {
  const { is_valid, python_linter_score: score, python_linter_severity, python_linter_messages } = judge(code);
  const messages = python_linter_messages as unknown as readonly { symbol: string; type: string; line: number }[];
  return [
    is_valid,
    score instanceof Float ? Number(score) : score,
    python_linter_severity,
    messages.map(({ type, symbol, line }) => `${type} ${symbol} ${line}`),
  ];
}

test('code without messages is valid and has the full score', () => {
  expect(told('def double(x):\n    return 2 * x\n')).toEqual([true, 10, 'none', []]);
  expect(told('')).toEqual([true, 10, 'none', []]);
  expect(told('# a remark\n')).toEqual([true, 10, 'none', []]);
  expect(told('x = 1\r\ny = 2\r\nprint(x, y)\r\n')).toEqual([true, 10, 'none', []]);
});

test('an undefined name is an error and weighs five times as much as other messages', () => {
  const lines = Array.from({ length: 8 }, (_, at) => `x${at} = ${at}\n`).join('');
  expect(told(`${lines}print(y)\nif x1 == None: print(x1)\n`)).toEqual([
    false,
    10 - (10 * (5 + 2)) / 11,
    'error',
    ['error F821 9', 'refactor E701 10', 'refactor E711 10'],
  ]);
});

test.each([
  ['E711', 'x = 1\nprint(x == None)\n', 'refactor'],
  ['SIM210', 'a = 1\nb = True if a else False\n', 'refactor'],
  ['PLR2004', 'a = 1\nprint(a > 77)\n', 'refactor'],
  ['PLC0414', 'import os as os\n', 'convention'],
  ['PLW0120', 'for i in (1,):\n    print(i)\nelse:\n    print(2)\n', 'warning'],
  ['PLE0604', '__all__ = [1]\n', 'error'],
  ['F632', 'a = "x"\nprint(a is "y")\n', 'error'],
])('reports %s with its type', (symbol, code, type) => {
  const [valid, , severity, messages] = told(code);
  expect(messages).toContainEqual(expect.stringContaining(`${type} ${symbol} `));
  expect({ valid, severity }).toEqual({ valid: type !== 'error', severity: type });
});

test('disabled rules report nothing, such as unused imports', () => {
  expect(told('import os\n')).toEqual([true, 10, 'none', []]);
});

test.each([
  ['a missing parameter list', 'def f(:\n    pass\n'],
  ['the print statement', 'print "x"\n'],
  ['the old form of except', 'try:\n    pass\nexcept ValueError, e:\n    pass\n'],
  ['a fence', '```python\nx = 1\n```'],
  ['prose', 'Here is the code you asked for.'],
  ['half a string', 'x = "a\n'],
  ['a character of number 0', 'x = 1\n\0'],
  ['tabs and spaces mixed', 'if True:\n        x = 1\n\ty = 2\n'],
])('code that Python cannot parse is fatal: %s', (_, code) => {
  const [valid, score, severity, messages] = told(code);
  expect([valid, score, severity]).toEqual([false, 0, 'fatal']);
  expect((messages as readonly string[])[0]).toContain('fatal invalid-syntax');
});

test('a message has its position in characters from 1, and its text', () => {
  expect(judge('é = "é"; print(ü)\n')['python_linter_messages']).toContainEqual({
    type: 'error',
    symbol: 'F821',
    line: 1,
    column: 16,
    message: 'Undefined name `ü`',
  });
});

test.each(['(', '[', 'not ', 'lambda: '])(
  'code nested too deeply for ruff is not valid, and ruff works again afterwards: %j',
  (piece) => {
    expect(judge(`x = ${piece.repeat(20_000)}`)).toMatchObject({
      is_valid: false,
      python_linter_severity: 'fatal',
      python_linter_messages: [{ symbol: 'checker-failed', line: null }],
    });
    expect(told('print(x)\n')).toEqual([false, 0, 'error', ['error F821 1']]);
  },
);

test('keeps the worst 1,000 messages and scores all of them', () => {
  const [valid, score, severity, messages] = told(`${'x = 1;\nx = 2\n'.repeat(3000)}print(y)\n`);
  expect([valid, severity, (messages as readonly string[]).length]).toEqual([false, 'error', 1000]);
  expect((messages as readonly string[])[0]).toBe('error F821 6001');
  expect(score).toBeCloseTo(10 - (10 * 3005) / 6001);
});

test('code that is too long is not checked, and a message says so', () => {
  expect(judge('x = 1\n'.repeat(200_000))).toMatchObject({
    is_valid: null,
    python_linter_score: null,
    python_linter_messages: [{ symbol: 'not-checked', message: expect.stringContaining('longer than') }],
  });
});
