import { describe, expect, test } from 'vitest';
import { answerFields, type ChatMessage, Float, type Row, traceCell } from '@data-designer/core';
import { compileTemplate, type TemplateOptions } from './index.ts';

const render = (source: string, record: Row = {}, options?: TemplateOptions): string =>
  compileTemplate(source, options)(record);

const failing = (code: string): unknown => expect.objectContaining({ code });

describe('values print as Python prints them', () => {
  test.each([
    ['{{ v }}', { v: null }, 'None'],
    ['{{ v }}', { v: new Float(1) }, '1.0'],
    ['{{ v }}', { v: 12345678901234567890n }, '12345678901234567890'],
    [
      '{{ v }}',
      { v: { k: ['a', null, true, 1.5, "it's", 'say "hi"'] } },
      `{'k': ['a', None, True, 1.5, "it's", 'say "hi"']}`,
    ],
    ['{{ (1,) }} {{ (1, 2) }} {{ () }} {{ {1: 2, true: 3} }}', {}, '(1,) (1, 2) () {1: 3}'],
    ['{{ ["tab\\t", "\\u2602", "\\x07"] }}', {}, "['tab\\t', '☂', '\\x07']"],
    ['{{ 1_000 }} {{ 0x1F }} {{ 0b101 }} {{ 0o17 }} {{ 1e3 }} {{ 1.50 }}', {}, '1000 31 5 15 1000.0 1.5'],
    ['{{ "a\\qb" }} {{ "\\101" }} {{ "a" "b" }}', {}, 'a\\qb A ab'],
  ])('%s prints in row %#', (source, record, text) => {
    expect(render(source, record as Row)).toBe(text);
  });
});

describe('operators follow Python', () => {
  test.each([
    ['{{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 6 / 2 }} {{ -7.5 % 2 }} {{ 2 ** -1 }}', '-4 2 3.5 3.0 0.5 0.5'],
    ['{{ 1 - 2 + 3 }} {{ 12 / 2 * 3 }} {{ 7 * 5 // 2 }} {{ 2 ** 3 ** 2 }} {{ -2 ** 2 }}', '2 18.0 17 64 4'],
    [
      '{{ 99999999999 * 99999999999 }} {{ 9007199254740991 + 1 }} {{ 2 ** 64 % 10 }}',
      '9999999999800000000001 9007199254740992 6',
    ],
    ['{{ (10 ** 30) / (3 * 10 ** 29) }} {{ 10 ** 20 // -7 }}', '3.3333333333333335 -14285714285714285715'],
    ['{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 == true }} {{ "1" == 1 }} {{ [1] == (1,) }}', 'True False True False False'],
    ['{{ 1 in [true] }} {{ "el" in "melt" }} {{ 3 not in [1] }} {{ "k" in {"k": 1} }}', 'True True True True'],
    ['{{ 0 or "x" }} {{ [] and 1 }} {{ not {} }} {{ "a" if 0 else "b" }}', 'x [] True b'],
    ['{{ "ab" * 2 }} {{ [0] * 2 + [1] }} {{ "n" ~ 1 ~ none }}', 'abab [0, 0, 1] n1None'],
    ['{{ "quay"[1:3] }} {{ "quay"[::-1] }} {{ [1, 2, 3][-1] }} {{ "é🐝x"[1] }}', 'ua yauq 3 🐝'],
    [
      '{{ "%05.1f|%-4s|%x" % (3.14159, "a", 255) }} {{ "{:>6.2f}{n!r}".format(2.5, n="q") }}',
      "003.1|a   |ff   2.50'q'",
    ],
    ['{{ 2.5 | round }} {{ 2.675 | round(2) }} {{ 7 | round }} {{ "%.0f" % 0.5 }}', '2.0 2.67 7 0'],
  ])('%s gives %s', (source, text) => {
    expect(render(source)).toBe(text);
  });

  test.each([
    '{{ "a" + 1 }}',
    '{{ 1 / 0 }}',
    '{{ none < 1 }}',
    '{{ "a" * 2.0 }}',
    '{{ 5 | length }}',
    '{{ (-8) ** 0.5 }}',
  ])('%s fails with template/record', (source) => {
    expect(() => render(source)).toThrow(failing('template/record'));
  });
});

describe('statements', () => {
  test.each([
    ['{% for x in [1, 2, 3] if x > 1 %}{{ loop.index }}:{{ x }} {% else %}none{% endfor %}', '1:2 2:3 '],
    ['{% for k, v in {"a": 1}.items() %}{{ k }}={{ v }}{% endfor %}', 'a=1'],
    ['{% if 0 %}a{% elif 1 %}b{% else %}c{% endif %}', 'b'],
    ['{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}', '12'],
    ['{% set t %}in{{ 1 }}{% endset %}[{{ t }}]', '[in1]'],
    ['{% filter upper %}a{{ 1 }}{% endfilter %}', 'A1'],
    ['{% autoescape true %}{{ "<" }}{% endautoescape %}{{ "<" }}', '&lt;<'],
    ['a\n  {%- if true %} b {% endif -%}  \n c\r\nd\n', 'a b c\nd'],
    ['{% raw %}{{ x }}{% endraw %}{#- gone -#} .', '{{ x }}.'],
    ['{{ {"a": {"b": 1}} }}', "{'a': {'b': 1}}"],
  ])('%j gives %j', (source, text) => {
    expect(render(source)).toBe(text);
  });

  test('native templates can set variables and nest loops; each iteration begins with unset variables', () => {
    const source = '{% for a in [1, 2] %}{% for b in [3] %}{% set c = a * b %}{{ c }}{% endfor %}{{ c }} {% endfor %}';
    expect(render(source, { c: 'out' }, { mode: 'native' })).toBe('3out 6out ');
  });
});

describe('cells', () => {
  test.each([
    ['true', 'True'],
    ['null', 'None'],
    ['1.0', '1.0'],
    ['007', '007'],
    [' 5 ', '5'],
    ['1e3', '1000.0'],
    ['"quoted"', 'quoted'],
    ['{"zip": "12345"}', "{'zip': '12345'}"],
    ['[1, NaN, -Infinity]', '[1, nan, -inf]'],
    ['[1, 2,]', '[1, 2,]'],
    ['12e45678', '12e45678'],
    ['Infinity', 'Infinity'],
    ['NaN', 'nan'],
  ])('the text %j decodes to %s', (text, printed) => {
    expect(render('{{ v }}', { v: text })).toBe(printed);
  });

  test('text in a map is decoded, text in decoded text is not', () => {
    expect(render('{{ v.a + 1 }} {{ w.a is string }}', { v: { a: '5' }, w: '{"a": "5"}' })).toBe('6 True');
  });

  test('a render reads a changed cell of a cached record again', () => {
    const run = compileTemplate('{{ v.a }}');
    const record: Record<string, string> = { v: '{"a": "the first text of the cell"}' };
    expect(run(record)).toBe('the first text of the cell');
    record.v = '{"a": "the other text of the cell"}';
    expect(run(record)).toBe('the other text of the cell');
  });

  test('plain numbers of float columns print as floats', () => {
    expect(render('{{ a }} {{ b }}', { a: 2, b: 2 }, { floatColumns: ['a'] })).toBe('2.0 2');
  });

  test('a render does not change its record', () => {
    const record = Object.freeze({ v: Object.freeze(['1', Object.freeze({ a: '2' })]) });
    expect(render('{{ v }}', record)).toBe("[1, {'a': 2}]");
    expect(record).toEqual({ v: ['1', { a: '2' }] });
  });

  test('a cell that does not hold plain data fails with template/record', () => {
    const opaque = new Map() as unknown as string;
    expect(() => render('{{ v }}', { v: opaque })).toThrow(failing('template/record'));
    expect(() => render('{{ v }}', { v: { w: (() => 1) as unknown as string } })).toThrow(failing('template/record'));
  });
});

describe('undefined values', () => {
  test('print nothing, are false, have no items and equal each other', () => {
    const source =
      '[{{ d.x }}{{ d.x | upper }}{% for a in d.x %}a{% endfor %}{{ 1 if d.x }}] {{ d.x == d.y }} {{ d.x | length }}';
    expect(render(source, { d: {} })).toBe('[] True 0');
  });

  test('come from a dict lookup with an unhashable key', () => {
    expect(render("[{{ {'a': 1}[['a']] }}] [{{ {'a': 1}[d] }}] {{ {'a': 1}['a'] }}", { d: {} })).toBe('[] [] 1');
  });

  test.each([
    '{{ d.x.y }}',
    '{{ d.x + 1 }}',
    '{{ d.x() }}',
    '{{ d.x > 1 }}',
    '{{ d.x | int }}',
    '{{ d.x }}',
    '{{ e }}',
  ])('%s fails with template/empty-render and names the missing value', (source) => {
    const reference = expect.stringMatching(/^d\.x \(missing\)$|^e \(empty text\)$/) as unknown;
    const failure = {
      code: 'template/empty-render',
      data: expect.objectContaining({ culprits: [reference] }) as unknown,
    };
    expect(() => render(source, { d: { a: 1 }, e: '' })).toThrow(expect.objectContaining(failure));
  });

  test('an unknown name is refused even on an unused branch', () => {
    expect(() => render('{% if false %}{{ ghost }}{% endif %}x', { d: 1 })).toThrow(failing('template/refused'));
  });
});

test.each([
  ['{% set ns = namespace(a=none) %}{{ ns.a }}', 'None'],
  ["{% set ns = namespace(a=none, b=[1, 'x']) %}{{ ns }}", "<Namespace {'a': None, 'b': [1, 'x']}>"],
])('a namespace can hold None: %s', (source, text) => {
  expect(compileTemplate(source, { mode: 'native' })({})).toBe(text);
});

test('a template can read a stored field of an answer by name, but printing the answer hides it', () => {
  const tokens = { input: 7, cachedInput: null, output: 3, reasoning: null };
  const answer: ChatMessage = { role: 'assistant', content: '{"a": 1}' };
  const stored = answerFields({ model: 'm-1', tokens, finishReason: 'stop', outcome: undefined });
  const [traced, plain] = [
    { a: traceCell([answer], { answers: new Map([[answer, stored]]) }) },
    { a: traceCell([answer]) },
  ];
  for (const printed of ['{{ a }}', '{{ a[0] | tojson }}', '{{ a[0].items() | list }}', '{{ a[0] | length }}']) {
    expect(render(printed, traced, { mode: 'native' })).toBe(render(printed, plain, { mode: 'native' }));
  }
  const named = "{{ a[0].model }} {{ a[0]['usage'].input_tokens }} {{ a | map(attribute='finish_reason') | join }}";
  expect(render(named, traced, { mode: 'native' })).toBe('m-1 7 stop');
});
