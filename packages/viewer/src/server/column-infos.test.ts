import { expect, test } from 'vitest';
import { type Plan, RECORDED_MESSAGE } from '@data-designer/core';
import { columnInfos, kindOf, scoreColumns } from './column-infos.ts';

type Column = Parameters<typeof kindOf>[0];
const column = (name: string, columnType: string, more: object = {}): Column =>
  ({ name, config: { columnType }, requires: { models: [] }, writes: [{ name, type: 'utf8' }], ...more }) as never;
const TYPES: Readonly<Record<string, object>> = {
  seed: { ofSeed: true },
  sampler: { distribution: {} },
  expression: { templates: () => [{ role: 'expression' }] },
  prompt: { templates: () => [{ role: 'prompt' }] },
  validation: { shownAs: () => ({ as: 'verdict' }) },
  judge: { shownAs: () => ({ as: 'scores' }) },
  seeded: { shownAs: () => ({ as: 'seed' }) },
  code: { shownAs: () => ({ as: 'code', language: 'sql' }) },
};
const types = { get: (name: string) => TYPES[name] } as unknown as Parameters<typeof columnInfos>[1];

test.each([
  ['seed', 'seed'],
  ['seeded', 'seed'],
  ['validation', 'validation'],
  ['judge', 'judge'],
  ['sampler', 'sampler'],
  ['expression', 'expression'],
  ['prompt', 'other'],
  ['of a plug-in that is gone', 'other'],
])('a column of type %s is in the group %s', (type, kind) => {
  expect(kindOf(column('c', type), types)).toBe(kind);
});

test('a column that asks a model is in the group of models, unless its type says more', () => {
  const requires = { models: ['m'] };
  expect(kindOf(column('c', 'expression', { requires }), types)).toBe('model');
  expect(kindOf(column('c', 'judge', { requires }), types)).toBe('judge');
});

const MESSAGES = { list: RECORDED_MESSAGE };

function infosOf(columns: readonly Column[], fields: readonly object[]) {
  return columnInfos({ columns, fields } as unknown as Pick<Plan, 'columns' | 'fields'>, types);
}

test('a field belongs to the column that writes it, which names its models and its format of dates', () => {
  const code = column('q', 'code', {
    requires: { models: ['m'] },
    config: { columnType: 'code', convertTo: '%Y' },
    writes: [{ name: 'q' }, { name: 'q__extra' }],
  });
  const [own, other, foreign] = infosOf(
    [code],
    [
      { name: 'q', type: 'utf8' },
      { name: 'q__extra', type: 'utf8' },
      { name: 'x', type: 'bool' },
    ],
  );
  expect(own).toMatchObject({
    of: 'q',
    kind: 'model',
    models: ['m'],
    dateFormat: '%Y',
    shown: 'code',
    language: 'sql',
  });
  expect(other).toMatchObject({ of: 'q', models: [], dateFormat: null, shown: 'value', language: null });
  expect(foreign).toMatchObject({ of: 'x', kind: 'other', columnType: '', operators: ['equals', 'null', 'not-null'] });
});

test('the types of columns are texts, and decide the conditions', () => {
  const infos = infosOf(
    [],
    [
      { name: 'a', type: 'utf8' },
      { name: 'b', type: 'utf8', json: true },
      { name: 'c', type: { logical: 'date' } },
      { name: 'd', type: { list: { struct: [{ name: 'x', type: 'int64' }] } } },
      { name: 'e', type: 'float64' },
    ],
  );
  expect(infos.map(({ type }) => type)).toEqual(['utf8', 'json', 'date', 'list<struct<x: int64>>', 'float64']);
  expect(infos.map(({ isNested }) => isNested)).toEqual([false, true, false, true, false]);
  expect(infos[0]?.operators).toContain('matches');
  expect(infos[1]?.operators).toEqual(['contains', 'null', 'not-null']);
  expect(infos[4]?.operators).toContain('between');
});

test('messages next to their column are a conversation', () => {
  const chat = column('c', 'prompt', { writes: [{ name: 'c' }, { name: 'c__trace' }] });
  const [own, trace] = infosOf(
    [chat],
    [
      { name: 'c', type: 'utf8' },
      { name: 'c__trace', type: MESSAGES },
    ],
  );
  expect(own).toMatchObject({ shown: 'value' });
  expect([trace?.kind, trace?.of, trace?.shown]).toEqual(['trace', 'c', 'conversation']);
});

test('only the scores of judges are columns of their own, where no column has their name', () => {
  const score = { struct: [{ name: 'score', type: 'int64' }] };
  const members = ['Tone', 'Wit', 'Odd'].map((name) => ({ name, type: name === 'Odd' ? 'utf8' : score }));
  const fields = ['judged', 'other', 'text', 'judged.Wit'].map((name) => ({
    name,
    type: name === 'judged' || name === 'other' ? { struct: members } : 'utf8',
  }));
  const columns = [
    column('judged', 'judge'),
    column('other', 'prompt'),
    column('text', 'judge'),
    column('gone', 'judge'),
  ];
  const infos = [...infosOf(columns, fields), ...infosOf(columns, [{ name: 'gone', type: 'utf8' }])];
  expect(scoreColumns(infos, { fields } as never).map(({ name, member }) => [name, member])).toEqual([
    ['judged.Tone', { column: 'judged', path: ['Tone', 'score'] }],
  ]);
});
