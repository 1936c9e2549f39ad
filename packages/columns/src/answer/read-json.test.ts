import { expect, test } from 'vitest';
import { Float, ParseFailure } from '@data-designer/core';
import { readJson } from './read-json.ts';

test('reads the last block labelled json and ignores the text around it', () => {
  expect(readJson('[0]\n```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```\n```js\n3\n```')).toEqual({ a: 2 });
  expect(readJson('```JSON\n[1]\n```')).toEqual([1]);
});

test('integers, floats and big integers keep their type', () => {
  expect(readJson('```json\n[1, 1.0, 1.5, 12345678901234567890]\n```')).toEqual([
    1,
    new Float(1),
    1.5,
    12345678901234567890n,
  ]);
});

test.each([
  ['alone', '{"a": 1}'],
  ['in a block without label', 'Look:\n```\n{"a": 1}\n```'],
  ['in a block of another label', '```javascript\n{"a": 1}\n```'],
  ['within a sentence', 'The answer is {"a": 1}, as "asked}.'],
  ['after thinking', '<think>{"a": 0}</think> {"a": 1}'],
  ['behind words in its block', '```json\nAnswer: {"a": 1}\n```'],
])('reads a single value %s', (_, answer) => {
  expect(readJson(answer)).toEqual({ a: 1 });
});

test('parses an answer that is JSON as a whole, even with fences or tags in its strings', () => {
  expect(readJson('{"code": "```json\\n{}\\n```"}')).toEqual({ code: '```json\n{}\n```' });
  expect(readJson('{"tag": "</think>"\n}')).toEqual({ tag: '</think>' });
});

test('brackets and quotes in strings do not end a value', () => {
  expect(readJson('It is {"a": "\\"}] {"} then.')).toEqual({ a: '"}] {' });
});

test.each([
  ['a trailing comma', '{"a": 1,}'],
  ['single quotes', "{'a': 1}"],
  ['bare keys', '{a: 1}'],
  ['comments', '{"a": 1 /* one */ }'],
])('repairs %s, in a block and outside', (_, json) => {
  expect(readJson(`\`\`\`json\n${json}\n\`\`\``)).toEqual({ a: 1 });
  expect(readJson(json)).toEqual({ a: 1 });
});

test.each([
  ['a string', '{"a": "cut in the mid', { a: 'cut in the mid' }],
  ['a number', '{"a": 1', { a: 1 }],
  ['a list', '{"a": [{"b": 1}, {"b": 2}', { a: [{ b: 1 }, { b: 2 }] }],
  ['an outer object', '{"a": {"b": 1}', { a: { b: 1 } }],
])('closes %s at the end of an answer, and counts it as repaired', (_, json, value) => {
  for (const answer of [json, `\`\`\`json\n${json}`]) {
    const flaws: string[] = [];
    expect(readJson(answer, (flaw) => flaws.push(flaw))).toEqual(value);
    expect(flaws).toEqual(['repaired']);
  }
});

test.each([
  ['a name', '{"a": 1, "b"'],
  ['a missing value', '{"a": 1, "b":'],
  ['a constant', '{"a": tr'],
  ['decimals', '{"a": 2.'],
  ['an exponent', '{"a": 1e'],
  ['other text behind it', '{"a": 1 I hope this helps'],
])('asks again for JSON that is cut off in %s', (_, json) => {
  expect(() => readJson(json)).toThrow(/cut off/);
  expect(() => readJson(`\`\`\`json\n${json}`)).toThrow(/cut off/);
});

test.each([
  [String.raw`{"a": "\(x\) and \alpha"}`, String.raw`\(x\) and \alpha`],
  [String.raw`{"a": "^\d+\.\w*$"}`, String.raw`^\d+\.\w*$`],
  [String.raw`{"a": "C:\Users\new\table\reports"}`, String.raw`C:\Users\new\table\reports`],
  [
    String.raw`{"a": "\$ \frac{1}{2} \beta \nabla \theta \times \rho"}`,
    String.raw`\$ \frac{1}{2} \beta \nabla \theta \times \rho`,
  ],
  [String.raw`{"a": "\underline{x} \u00e9"}`, String.raw`\underline{x} é`],
  [String.raw`{"a": "\(x\)\nNext \"one\" \\alpha"}`, '\\(x\\)\nNext "one" \\alpha'],
  [String.raw`{"a": "\[x\]",}`, String.raw`\[x\]`],
  [String.raw`{'a': 'it\'s \_so\_'}`, String.raw`it's \_so\_`],
  [String.raw`{"a": "\x41 \0 \-"}`, String.raw`\x41 \0 \-`],
  ['{"a": "x\\\ny \\d"}', 'x\\\ny \\d'],
])('an invalid escape is a literal backslash: %s', (json, text) => {
  expect(readJson(json)).toEqual({ a: text });
  expect(readJson(`\`\`\`json\n${json}\n\`\`\``)).toEqual({ a: text });
});

test.each([
  ['{"a": "5" tall"}', '5" tall'],
  ['{"a": "so "called" one"}', 'so "called" one'],
  ['{“a”: “he said ‘hi’”}', 'he said ‘hi’'],
  ['{"a": "one\ntwo"}', 'one\ntwo'],
  ["{'a': 'c\"d'}", 'c"d'],
  ['{"a": 12345678901234567890,}', 12345678901234567890n],
  ['{"a": None}', null],
  ['{"a": http://x.example/y // the page\n}', 'http://x.example/y'],
  ['{"a": 0123}', '0123'],
  ["{'a': 'it's O'Brien's'}", "it's O'Brien's"],
  ['{"a": -.5}', -0.5],
  ['{"a": 2.}', new Float(2)],
  ['{"a": [-12., 3. , 4.]}', [new Float(-12), new Float(3), new Float(4)]],
  ['{"a": "one\r\ntwo",}', 'one\r\ntwo'],
  ['{"a": "one\r\ntwo"}', 'one\r\ntwo'],
  ['{"a": "one\rtwo\n",\r\n}', 'one\rtwo\n'],
  [String.raw`{\"a\": \"x\\n\"}`, 'x\n'],
  [String.raw`{\n  \"a\": \"b\"\n}`, 'b'],
])('a repair keeps the content of %s', (json, value) => {
  expect(readJson(json)).toEqual({ a: value });
});

test.each([
  ['["he said "hi", and left", "b"]'],
  ['["he said "hi" , and left", "b"]'],
  ['{"text": "He said: "a": b", "c": 1}'],
  ["{'a': 'x'b': 1}"],
  ['{"a": ...}'],
  ['{"a":: 1}'],
  ['{"a": 1，"b": 2}'],
  ['{"a": "C, "b": 2}'],
  ['{"a": "x" + "y"}'],
  ['cb({"a": 1, "b"})'],
  ['{"a": ObjectId("12")}'],
  ['[1, 2, ...]'],
  ['{"a": NaN}'],
  ['{"a": [1, -Infinity]}'],
  ['{"a": undefined}'],
  ['{"a": , "b": 2}'],
  ['{"a": [1, 2}'],
  ['{"a": 1e400}'],
  ['```json\n{"a": 1}\n{"b": 2}\n```'],
  ['{"a": 1, "a": 2}'],
  ['{"a" 1}'],
  ['[1, 2}'],
  ['{"a": 2.e5}'],
  ['{"a": 1, "a": 2,}'],
])('asks again instead of a repair that would delete or invent content: %s', (json) => {
  expect(() => readJson(json)).toThrow(ParseFailure);
});

test.each([
  ['Here [as asked: {"a": 1}'],
  ['Use { to open it. {"a": 1}'],
  ["For {x: y} and {'p', 'q'}: {\"a\": 1}"],
  ['For x in [0, 1): {"a": 1}'],
  ['[Note 1] {"a": 1}'],
  ['Use [ for lists: {"a": 1} and ] ends them'],
  ['<answer>{"a": 1,}</answer>'],
  ['It is {"a": 1}}'],
  ['Sure: {"a": 1, } Done.'],
  ['As {name} and {{ name }} go: {"a": 1}'],
])('finds the JSON in %j', (answer) => {
  expect(readJson(answer)).toEqual({ a: 1 });
});

test.each([
  ['nothing', '', /no ```json block/],
  ['words', 'I would rather not.', /no ```json block/],
  ['two bare values', '{"a": 1} or {"a": 2}', /several/],
  ['an empty block', '```json\n```', /not JSON/],
  ['a value without end of depth', `${'['.repeat(150)}${']'.repeat(150)}`, /100 levels/],
])('rejects %s with a message for the model', (_, answer, reason) => {
  expect(() => readJson(answer)).toThrow(ParseFailure);
  expect(() => readJson(answer)).toThrow(reason);
});

test('a property named __proto__ is an ordinary property', () => {
  expect(Object.keys(readJson('{"__proto__": {"a": 1}}') as object)).toEqual(['__proto__']);
});

function withoutCommas(values: number, more = ''): string {
  return `{"a": [${'"x"\n'.repeat(values)}]${more}}`;
}

test(
  'text of up to 100,000 characters is repaired unless so many quotes are misplaced that the repair takes long',
  { tags: 'long' },
  () => {
    const long = `{"a": "${'word '.repeat(19_990)}",}`;
    expect(readJson(long)).toEqual({ a: 'word '.repeat(19_990) });
    expect(() => readJson(`{"a": "${'word '.repeat(20_000)}",}`)).toThrow(ParseFailure);
    expect(readJson(withoutCommas(2400))).toEqual({ a: Array.from({ length: 2400 }, () => 'x') });
    expect(() => readJson(withoutCommas(24_997))).toThrow(ParseFailure);
    const quoted = `so "called" `.repeat(10);
    expect(readJson(`{"a": "${quoted}${'word '.repeat(15_000)}",}`)).toEqual({
      a: `${quoted}${'word '.repeat(15_000)}`,
    });
    expect(readJson(`[${'"x",'.repeat(20_000)}]`)).toHaveLength(20_000);
    const escaped = String.raw`{"a": "${String.raw`\"x\" `.repeat(10_000)}",}`;
    expect(readJson(escaped)).toEqual({ a: '"x" '.repeat(10_000) });
    const contracted = "it's ".repeat(18_000);
    expect(readJson(`{"a": "${contracted}",}`)).toEqual({ a: contracted });
    expect(readJson(String.raw`{"a": "${String.raw`\_`.repeat(49_000)}"}`)).toEqual({
      a: String.raw`\_`.repeat(49_000),
    });
  },
);

test.each([
  ['lines', 'x\n', 'x'],
  ['lists', '[1] ', [1]],
  ['numbers', '1 ', 1],
  ['constants', 'true ', true],
])('%s without commas are repaired unless they are many', (_, value, read) => {
  const listed = (values: number) => `{"a": [${value.repeat(values)}]}`;
  expect(readJson(listed(300))).toEqual({ a: Array.from({ length: 300 }, () => read) });
  expect(() => readJson(listed(9000))).toThrow(ParseFailure);
});

test.each(['{"a": `', '{"a": “', '{"a": a\'a', '[/*', '["a":1,', '{"a": a(1)', '{"a": /a', '{"a": /a/ '])(
  'many of %s are refused',
  { tags: 'long' },
  (text) => {
    const [head = '', unit = ''] = /^(\{"a": |\[)(.*)$/.exec(text)?.slice(1) ?? [];
    expect(() => readJson(head + unit.repeat(90_000 / unit.length))).toThrow(ParseFailure);
  },
);

test('an answer of many broken parts is refused before they are parsed', () => {
  expect(() => readJson('{"a"} '.repeat(1000))).toThrow(/not valid JSON/);
  expect(() => readJson('{"a"} '.repeat(1001))).toThrow(/several/);
  expect(() => readJson(`${'{a: b} '.repeat(999)}{"a": 1}`)).not.toThrow();
  expect(() => readJson('['.repeat(101))).toThrow(/100 levels/);
  expect(() => readJson('[{"a":'.repeat(101))).toThrow(/100 levels/);
  let repairs = 0;
  expect(() => readJson('```\n{"a":1,}\n```\n'.repeat(100), () => repairs++)).toThrow(/several/);
  expect(repairs).toBe(2);
});

test('a name in which Markdown escapes underscores is that name, and a value keeps its backslash', () => {
  expect(readJson(String.raw`{"a\_b\_c": "d\_e"}`)).toEqual({ a_b_c: String.raw`d\_e` });
});

test('of many broken values only two are repaired, since several are refused', () => {
  let repairs = 0;
  expect(() => readJson('{"a":1,}'.repeat(100), () => repairs++)).toThrow(/several/);
  expect(repairs).toBe(2);
});
