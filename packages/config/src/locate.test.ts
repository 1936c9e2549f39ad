import { expect, test } from 'vitest';
import { z } from 'zod';
import { isFailure, type Violation } from '@data-designer/core';
import { parseDocument } from './load-document.ts';
import { locate } from './locate.ts';
import { parseForm } from './violations.ts';

/** The failure to read a text. */
function refusal(text: string, options: { readonly path: string; readonly isPrivate?: boolean }) {
  try {
    parseDocument(text, { ...options, json: options.path.endsWith('.json') });
  } catch (thrown) {
    if (isFailure(thrown, 'config/unreadable')) return thrown;
    throw thrown;
  }
  throw new Error('it was read');
}

const schema = z.strictObject({
  columns: z.array(z.strictObject({ name: z.string(), modelAlias: z.string(), size: z.number().optional() })),
  settings: z.strictObject({ apiKey: z.number() }).optional(),
});

/** The mistakes of a YAML text. */
function mistakes(text: string): readonly Violation[] {
  try {
    parseForm(schema, parseDocument(text, { path: 'facts.yaml', json: false }), { source: 'facts.yaml' });
  } catch (thrown) {
    if (isFailure(thrown, 'config/invalid')) return thrown.data.violations;
    throw thrown;
  }
  throw new Error('it was read');
}

const placeOf = ({ file, path, position }: Violation) => `${file}:${position?.line}:${position?.column} ${path}`;

test('a mistake names file, line and column of its key, and shows the line', () => {
  const [first, ...others] = mistakes(
    'columns:\n\n  - name: a\n    model_alias: 5\n  - { name: b, model_alias: x, sise: 1 }\n',
  );
  expect(first).toMatchObject({ file: 'facts.yaml', position: { line: 4, column: 5 } });
  expect(first?.frame).toBe(['  3 |   - name: a', '> 4 |     model_alias: 5', '    |     ^'].join('\n'));
  expect(others.map(placeOf)).toEqual(['facts.yaml:5:32 columns[1].sise']);
});

test('a missing key is placed at the mapping that lacks it', () => {
  expect(mistakes('columns:\n  - { model_alias: x }\n').map(placeOf)).toEqual(['facts.yaml:2:5 columns[0].name']);
});

test('a mistake in a merged mapping is placed once, where the mapping is written', () => {
  const text = 'columns:\n  - &a { name: a, model_alias: 5 }\n  - { <<: *a, name: b }\n';
  expect(mistakes(text).map(placeOf)).toEqual(['facts.yaml:2:19 columns[0].model_alias']);
  const overridden = 'columns:\n  - &a { name: a, model_alias: x, size: y }\n  - { <<: *a, name: b }\n';
  expect(mistakes(overridden).map(placeOf)).toEqual(['facts.yaml:2:35 columns[0].size']);
});

test('a line that may hold a key is not shown', () => {
  const [only] = mistakes('columns: []\nsettings:\n  api_key: sk-1\n');
  expect(only).toMatchObject({ position: { line: 3, column: 3 } });
  expect(only?.frame).toBeUndefined();
});

test('a long line is shown around the place', () => {
  const [only] = mistakes(`columns: [{ name: ${'n'.repeat(300)}, model_alias: 5 }]`);
  expect(only?.frame).toMatch(/^> 1 \| n+, model_alias: 5 }\]\n {4}\| {80}\^$/);
});

test.each([
  ['a: &rows 1\nb: { x: 2, rows: *row }', 'c.yaml:2:18: the alias *row has no anchor', "Did you mean '*rows'?"],
  ['a: &rows [1]\nb: "{{ x }}"\nc: *yes', 'c.yaml:3:4: the alias *yes has no anchor', "needs quotes: '*yes'."],
  ['a: 1\nb: *.csv', "c.yaml:2:4: the value of 'b' begins with *", "Quote the value: b: '*.csv'"],
])('an alias without its anchor is told where it stands: %j', (text, start, remedy) => {
  const { message } = refusal(text, { path: 'c.yaml' });
  expect(message).toContain(start);
  expect(message).toContain(remedy);
});

test.each([
  ['columns:\n  - name: a\n    prompt: Tell me: what is it?', "facts.yaml:3:13: the value of 'prompt' contains ': '"],
  ['api_key: sk-1: x', "facts.yaml:1:10: the value of 'api_key' contains ': '"],
])('a value with a colon gets the hint to quote it, and is not repeated: %j', (text, start) => {
  const { message } = refusal(text, { path: 'facts.yaml', isPrivate: true });
  expect(message).toMatch(/ and has no quotes, so YAML reads a mapping\. Put the value in quotes\.$/);
  expect(message).toContain(start);
});

test('a tab gets the hint to indent with spaces', () => {
  expect(refusal('columns:\n\t- name: a\n', { path: 'facts.yaml' }).message).toMatch(/Indent with spaces\./);
});

test.each([
  ['expr: {{ topic }}', '1:7', "expr: '{{ topic }}'"],
  ['columns:\n  - prompt: {{ a }} and {{ b }}\n    name: x', '2:13', "prompt: '{{ a }} and {{ b }}'"],
  ['columns: [{ name: x, expr: {{ a }}-{{ b }}, drop: true }]', '1:28', "expr: '{{ a }}-{{ b }}'"],
  // Anchors before it have no part in the mistake.
  [
    "rows: &rows { account: '{{ accounts }}' }\nother: *rows\nopening: {{ blueprint.request }}",
    '3:10',
    "opening: '{{ blueprint.request }}'",
  ],
  ['a: &a x\nb: *a\nallow: *.txt', '3:8', "allow: '*.txt'"],
  ["prompt: {% if a %}it's{% endif %}", '1:9', "prompt: '{% if a %}it''s{% endif %}'"],
])('an unquoted template gets the hint to quote it: %j', (text, place, quoted) => {
  const { data, message } = refusal(text, { path: 'facts.yaml' });
  expect(data).toMatchObject({ path: 'facts.yaml' });
  expect(data.remedy).toContain(quoted);
  expect(data.frame).toMatch(new RegExp(`^> ${place.split(':')[0]} \\| `, 'm'));
  expect(message).toContain(`facts.yaml:${place}:`);
  expect(message).toContain(data.frame ?? '-');
});

test.each([
  ['{"a": [1,]}', 1, 10],
  ['{"a": 1,}', 1, 9],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ['{"a" 1}', 1, 6],
  ['{"a": tru\n}', 1, 7],
  ["{'a': 1}", 1, 2],
  ['{"a": [1, {"b": 2]}', 1, 18],
  ['{"a": 1}}', 1, 9],
  ['{"a": "b', 1, 9],
  ['{"a": [1, 2', 1, 12],
  ['[1, 2] 3', 1, 8],
  ['{"a":: 1}', 1, 6],
  ['// a\n{}', 1, 1],
])('a mistake in JSON has line and column: %j', (text, line, column) => {
  const { data, message } = refusal(text, { path: 'facts.json' });
  expect(data.position).toEqual({ line, column });
  expect(message).toContain(`facts.json:${line}:${column}`);
  expect(data.frame).toMatch(new RegExp(`^> ${line} \\| `, 'm'));
});

test('a file that may hold keys shows no line', () => {
  const { data } = refusal('{"a": "sk-1",}', { path: 'keys.json', isPrivate: true });
  expect(data.position).toEqual({ line: 1, column: 14 });
  expect(data.frame).toBeUndefined();
});

test.each([
  ['a literal block', 'a:\n  p: |-\n    One topic\n\n    and {{ topc }} here\n', 'facts.yaml:5:12 a.p'],
  ['a folded block', 'a:\n  p: >\n    One\n    and {{ topc }} here\n', 'facts.yaml:4:12 a.p'],
  ['a quoted text', 'a:\n  p: "One\\n\\nand {{ topc }}"\n', 'facts.yaml:2:21 a.p'],
  ['a plain text', 'a:\n  p: One {{ topc }}\n', 'facts.yaml:2:13 a.p'],
  ['an escaped name, which stays at its key', 'a:\n  p: "One {{ to\\x70c }}"\n', 'facts.yaml:2:3 a.p'],
])('a place within %s is found in the file', (_, text, place) => {
  const document = parseDocument(text, { path: 'facts.yaml', json: false }) as { a: { p: string } };
  const line = document.a.p.split('\n').findIndex((one) => one.includes('topc'));
  const within = { line: line + 1, column: (document.a.p.split('\n')[line] ?? '').indexOf('topc') + 1 };
  const told = { stage: 'run', level: 'ERROR', type: 'x', path: 'a.p', message: '', remedy: '' } as const;
  expect(locate([{ ...told, within }], document).map(placeOf)).toEqual([place]);
});

test('a mistake inside an anchor is named once, however often the anchor is used', () => {
  const text = 'columns:\n  - &one { name: a, model_alias: 5 }\n  - *one\n  - *one\n  - { name: b, model_alias: 5 }\n';
  expect(mistakes(text).map(placeOf)).toEqual([
    'facts.yaml:2:21 columns[0].model_alias',
    'facts.yaml:5:16 columns[3].model_alias',
  ]);
});
