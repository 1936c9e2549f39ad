import { field } from '@data-designer/core';
import { stateFields } from '@data-designer/environments/state-history';
import { expect, test } from 'vitest';
import type { LaidOutField } from './record-layout.ts';
import { recordSections, type Section } from './record-sections.ts';

const as = (name: string, kind: Exclude<LaidOutField['shown']['as'], 'code'>): LaidOutField => ({
  name,
  shown: { as: kind },
});

const LAYOUT: readonly LaidOutField[] = [
  as('town', 'seed'),
  as('lint', 'verdict'),
  { name: 'script', shown: { as: 'code', language: 'python' } },
  as('grade', 'scores'),
  as('talk__trace', 'conversation'),
  as('picture', 'pictures'),
  as('talk', 'value'),
];

const CALL = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } };

const ROW = {
  town: 'Bergen',
  lint: '{"is_valid": false, "error_messages": "no"}',
  script: 'x = 1',
  grade: { Clarity: { score: '2', reasoning: 'so so' } },
  talk__trace: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Look!' },
    { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [CALL, CALL] },
    { role: 'tool', content: 'a tree', tool_call_id: 'c1' },
    { role: 'assistant', content: 'A tree.', tool_calls: null },
  ],
  picture: ['images/a.png'],
  talk: 'A tree.',
};

const titles = (sections: readonly Section[]) => sections.map(({ kind, title }) => `${kind} ${title}`);

test('plain values come first, then columns with sections of their own', () => {
  expect(titles(recordSections(ROW, LAYOUT))).toEqual([
    'values Seed columns',
    'values Generated columns',
    'conversation talk__trace',
    'pictures Pictures',
    'code script',
    'verdict lint',
    'scores grade',
  ]);
});

test('seed columns and conversations can be left out', () => {
  const sections = recordSections(ROW, LAYOUT, { hideSeedColumns: true, includeTraces: false });
  expect(titles(sections).slice(0, 2)).toEqual(['values Generated columns', 'pictures Pictures']);
});

test('a conversation labels each turn and counts its tool calls', () => {
  const [section] = recordSections(ROW, [as('talk__trace', 'conversation')]);
  expect(section).toMatchObject({
    summary: '2 tool calls in 1 turn',
    turns: [
      { by: 'system', text: 'Be short.' },
      { by: 'user', text: 'Look!' },
      { by: 'reasoning', text: 'hm' },
      { label: 'tool call #1 -> look', text: '{\n  "at": 1\n}' },
      { label: 'tool call #2 -> look' },
      { by: 'tool result', text: 'a tree' },
      { by: 'assistant', text: 'A tree.' },
    ],
  });
});

test('is_valid comes first in a verdict', () => {
  const [section] = recordSections({ lint: { found: 1, is_valid: true } }, [as('lint', 'verdict')]);
  expect(section).toMatchObject({ isValid: true, entries: [{ name: 'is_valid', text: 'true' }, { name: 'found' }] });
});

test('each of several targets has its own verdict', () => {
  const lint = { a: { is_valid: true }, b: { is_valid: null } };
  expect(recordSections({ lint }, [as('lint', 'verdict')])).toMatchObject([
    { title: 'lint: a', isValid: true },
    { title: 'lint: b', isValid: null },
  ]);
});

test('the verdict of an execution shows what the program did, and each of its tests', () => {
  const tests = [
    { test: 0, passed: true, error: null, output: 'ok' },
    { test: 1, passed: false, error: 'it returns 4, and not 6', output: '' },
  ];
  const checked = { is_valid: false, failure: 'wrong', error: 'no', output: 'ok', seconds: 0.5, memory_mb: 1.5, tests };
  const [section] = recordSections({ checked }, [as('checked', 'verdict')]);
  const entries = new Map((section?.kind === 'verdict' ? section.entries : []).map(({ name, text }) => [name, text]));
  expect([...entries.keys()]).toEqual(Object.keys(checked));
  expect([entries.get('output'), entries.get('seconds'), entries.get('memory_mb')]).toEqual(['ok', '0.5', '1.5']);
  expect(entries.get('tests')).toMatch(/"passed": true[^]*"error": "it returns 4, and not 6"/);
});

const PNG = `iVBORw0KGgo${'A'.repeat(81)}`;

test.each([
  [
    'a vector',
    { a: Array.from({ length: 9 }, (_, at) => at) },
    '{\n  "a": [\n    0,\n    1,\n    "… 9 numbers"\n  ]\n}',
  ],
  ['JSON in text', '{"b":[1.0,12345678901234567890]}', '{\n  "b": [\n    1.0,\n    12345678901234567890\n  ]\n}'],
  ['text that only begins like JSON', '[not', '[not'],
  ['nothing', null, 'null'],
  ['a large integer', 2n ** 60n, '1152921504606846976'],
  ['an image', PNG, 'image/png in Base64, 92 characters'],
  [
    'a list of stored files',
    [{ bytes: PNG, path: 'a.png' }],
    '[\n  {\n    "bytes": "image/png in Base64, 92 characters",\n    "path": "a.png"\n  }\n]',
  ],
  ['Base64 of something else', 'QUJD'.repeat(40), 'QUJD'.repeat(40)],
  ['text that begins like an image', `iVBORw0KGgo ${'x'.repeat(99)}`, `iVBORw0KGgo ${'x'.repeat(99)}`],
  ['a moment', new Date(0), '1970-01-01T00:00:00.000Z'],
])('%s is shown in readable form', (_, value, text) => {
  const [section] = recordSections({ value }, [as('value', 'value')]);
  expect(section).toMatchObject({ entries: [{ name: 'value', text }] });
});

test.each(['verdict', 'scores', 'conversation', 'pictures', 'seed'] as const)(
  'a %s column with a missing or unexpected value is not an error',
  (kind) => {
    for (const value of [null, 'text', 3, [], {}]) expect(recordSections({ a: value }, [as('a', kind)])).toBeDefined();
    expect(recordSections({ a: [null] }, [as('a', kind)])).toBeDefined();
  },
);

function account(...balances: readonly number[]) {
  return { account: balances.map((balance, id) => ({ id, balance })) };
}

test('states of one environment are shown as their changes, and the last one whole', () => {
  const columns = ['one', 'two', 'three'].map((name) => ({
    name,
    environments: name === 'two' ? ['bank', 'shop'] : ['bank'],
    writes: [field(`${name}__state`, 'utf8', { json: true })],
  }));
  const states = Map.groupBy(stateFields(columns), (state) => state.field);
  const layout = [...states].map(([name, own]) => ({ ...as(name, 'value'), states: own }));
  const row = {
    one__state: JSON.stringify(account(1)),
    two__state: { bank: account(3, 4), shop: [] },
    three__state: account(4),
  };
  expect(recordSections(row, layout)).toEqual([
    { kind: 'values', title: 'Generated columns', entries: [expect.objectContaining({ name: 'two__state' })] },
    {
      kind: 'values',
      title: 'State of bank',
      entries: [
        {
          name: 'one__state -> two__state',
          text: 'account[id=0].balance: 1 -> 3\naccount[id=1]: added {"id":1,"balance":4}',
        },
        {
          name: 'two__state -> three__state',
          text: 'account[id=0].balance: 3 -> 4\naccount[id=1]: removed {"id":1,"balance":4}',
        },
        { name: 'three__state', text: JSON.stringify(account(4), undefined, 2) },
      ],
    },
  ]);
  const single = { one__state: account(1), two__state: null, three__state: null };
  expect(titles(recordSections(single, layout.slice(0, 1)))).toEqual(['values Generated columns']);
});
