import { expect, test } from 'vitest';
import { z } from 'zod';
import { type ArrowType, field, type Violation } from '@data-designer/core';
import { attemptFields } from '../attempt-columns.ts';
import { ColumnRegistry } from '../column-registry.ts';
import { columnFields, defineColumn, sourceColumnFields } from '../define-column.ts';
import { parseDataset } from '../parse-dataset.ts';
import { checkDataset } from './check-dataset.ts';
import { factsOf } from './column-facts.ts';

const TYPES: Readonly<Record<string, ArrowType>> = {
  text: 'utf8',
  yes: 'bool',
  number: 'int64',
  verdict: { struct: [field('passed', 'bool'), field('why', 'utf8'), field('all', { list: 'utf8' })] },
  open: 'utf8',
};

const drawn = defineColumn({
  type: 'drawn',
  schema: z.strictObject(sourceColumnFields('drawn')),
  writes: ({ name }) => [field(name, 'float64')],
  fill: () => () => ({ written: [[]] }),
});

/** A column of a model, of the type that its name begins with. */
const told = defineColumn({
  type: 'told',
  schema: z.strictObject({
    ...columnFields('told'),
    prompt: z.string().default(''),
    modelAlias: z.string().default('warm'),
  }),
  templates: ({ prompt }) => [{ source: prompt, field: ['prompt'], role: 'prompt' }],
  writes: ({ name }) => [
    field(name, TYPES[/^[a-z]+/.exec(name)?.[0] ?? ''] ?? 'utf8', { json: name.startsWith('open') }),
    field(`${name}__trace`, 'utf8'),
  ],
  requires: ({ modelAlias }) => ({ models: [modelAlias], tools: [] }),
  cell: () => () => [''],
});

const grouped = defineColumn({
  type: 'grouped',
  schema: z.strictObject(columnFields('grouped')),
  writes: ({ name }) => [field(name, 'utf8')],
  group: () => async () => [],
});

const expression = defineColumn({
  type: 'expression',
  schema: z.strictObject({ ...columnFields('expression'), expr: z.string(), dtype: z.string() }),
  writes: ({ name }) => [field(name, 'utf8')],
  cell: () => () => [''],
});

const registry = new ColumnRegistry([drawn, told, grouped, expression]);
const model = (alias: string, temperature: number) => {
  return { alias, model: 'm', provider: 'acme', inference_parameters: { temperature } };
};
const tell = (name: string, reads = 'id', more: object = {}) => {
  return { name, column_type: 'told', prompt: `{{ ${reads} }}`, ...more };
};
const COLUMNS = [{ name: 'id', column_type: 'drawn' }, tell('text'), tell('yes', 'text'), tell('number', 'text')];
const BLOCK = { name: 'solve', columns: ['text', 'yes', 'number'], until: 'yes', max: 3 };
const SCORED = { name: 'solve', columns: ['text', 'yes', 'number'], max: 3 };

function check(attempts: readonly object[], more: readonly object[] = []): readonly Violation[] {
  const models = [model('warm', 1), model('cold', 0)];
  const parsed = parseDataset({ model_configs: models, columns: [...COLUMNS, ...more], attempts }, registry);
  return checkDataset(parsed, { registry, providers: { models: ['acme'], tools: [] } });
}

const short = ({ level, type, path }: Violation) => `${level} ${type} ${path}`;

test('a block without mistakes has none, of each way to keep attempts', () => {
  expect(check([BLOCK])).toEqual([]);
  expect(check([{ ...BLOCK, until: '{{ yes and number > 2 }}' }])).toEqual([]);
  for (const keep of ['all', { best: 'number' }, { pair: '{{ text }}' }])
    expect(check([{ ...SCORED, keep }])).toEqual([]);
  expect(check([{ ...BLOCK, on_exhausted: null }])).toEqual([]);
  expect(check([{ ...BLOCK, max: 1 }])).toEqual([]);
});

test.each([
  [{ columns: ['text', 'yes', 'id'] }, 'attempts_input attempts[0].columns[2]', "'id' is an input"],
  [{ columns: ['text', 'yes', 'yes__trace'] }, 'attempts_input attempts[0].columns[2]', 'seeds and side effects stay'],
  [{ columns: ['text', 'yes', 'nobody'] }, 'unknown_column attempts[0].columns[2]', "no column 'nobody'"],
  [{ columns: ['text', 'yes', 'text'] }, 'repeated_column attempts[0].columns[2]', "'text' is named twice"],
  [
    { columns: ['text', 'yes', 'group'] },
    'group_column attempts[0].columns[2]',
    'for all rows of a row group together',
  ],
  [
    { columns: ['text', 'yes', 'after'] },
    'reads_own_attempts attempts[0].columns[2]',
    "'after' reads 'solve__attempts'",
  ],
  [{ columns: ['text', 'yes', 'skipping'] }, 'reads_own_attempts attempts[0].columns[2]', "'skipping' reads 'solve__"],
  [{ columns: ['yes', 'number', 'text', 'last'] }, 'column_between attempts[0].columns', 'and another one reads it'],
  [{ columns: [] }, 'invalid_value attempts[0].columns', 'at least 1 entry'],
  [{ until: 'id > 5' }, 'until_without_references attempts[0].until', 'refers to no column of the block'],
  [{ until: 'true' }, 'until_without_references attempts[0].until', 'Refer to text or yes or number'],
  [{ until: null }, 'missing_until attempts[0]', "the key 'until' is missing"],
  [{ until: 'yes and' }, 'template/syntax attempts[0].until', 'expected an expression'],
  [{ until: 'nothing.at.all' }, 'unknown_column attempts[0].until', "no column 'nothing'"],
  [{ until: 'yes and solve__attempts > 2' }, 'reads_own_attempts attempts[0].until', 'once all attempts are made'],
  [{ until: 'yes and between' }, 'column_between attempts[0].columns', 'and the condition reads it'],
  [{ until: 'text' }, 'until_not_bool attempts[0].until', "'text' is text, so it is neither true nor false"],
  [{ until: '{{ number }}' }, 'until_not_bool attempts[0].until', 'Compare it, as in number > 0'],
  [{ columns: ['verdict'], until: 'verdict' }, 'until_not_bool attempts[0].until', "'verdict' is a mapping"],
  [{ columns: ['verdict'], until: 'verdict.why' }, 'until_not_bool attempts[0].until', "as in verdict.why == 'yes'"],
  [{ columns: ['verdict'], until: 'verdict.all' }, 'until_not_bool attempts[0].until', "'verdict.all' is a list"],
  [{ keep: 'all' }, 'unused_key attempts[0].until', "Remove 'until', or use keep: first"],
  [{ keep: { best: 'number' } }, 'unused_key attempts[0].until', 'has no effect'],
  [{ keep: { pair: 'id' }, until: null }, 'until_without_references attempts[0].keep.pair', 'no column of the block'],
  [{ keep: { best: 'yes' }, until: null }, 'score_not_number attempts[0].keep.best', "'yes' is true or false"],
  [{ keep: { pair: 'between' }, until: null }, 'column_between attempts[0].columns', 'and the score reads it'],
  [{ keep: { pair: 'number' }, until: null, max: 1 }, 'single_attempt attempts[0].max', 'Use a value of at least 2'],
  [{ keep: 'pair' }, 'invalid_value attempts[0].keep', 'Use first, all, or a score as in { best: score }'],
  [{ keep: { pair: null } }, 'invalid_value attempts[0].keep.pair', 'expected text, found null'],
  [{ keep: { pair: 'number', best: 'number' } }, 'invalid_value attempts[0].keep', 'no way to keep attempts'],
  [{ on_exhausted: 'fail' }, 'invalid_value attempts[0].on_exhausted', 'Use one of: drop_row, keep_last, null'],
  [{ max: 0 }, 'invalid_value attempts[0].max', 'at least 1'],
  [{ max: 1.5 }, 'invalid_value attempts[0].max', 'expected a whole number'],
  [{ max: 1001 }, 'invalid_value attempts[0].max', 'at most 1000'],
  [{ maximum: 3 }, 'unknown_key attempts[0].maximum', "unknown key 'maximum'"],
  [{ name: '' }, 'invalid_value attempts[0].name', 'must not be empty'],
  [{ name: 'text' }, 'duplicate_name attempts[0].name', "uses the name 'text'"],
  [{ name: 'hidden' }, 'duplicate_name attempts[0].name', "uses the name '_attempts_hidden'"],
  [{ name: 'other' }, 'duplicate_name attempts[0].name', "writes 'other__attempts'"],
] as const)('a mistake in a block is reported with its names and a remedy: %o', (changes, place, words) => {
  const found = check(
    [{ ...BLOCK, ...changes }],
    [
      { name: 'group', column_type: 'grouped' },
      tell('after', 'solve__attempts'),
      tell('skipping', 'text', { skip: { when: '{{ solve__attempts > 1 }}' } }),
      tell('between', 'text'),
      tell('last', 'between'),
      tell('verdict'),
      tell('open'),
      tell('_attempts_hidden'),
      tell('other__attempts'),
    ],
  );
  const own = found.filter(({ path }) => path?.startsWith('attempts'));
  expect(own.map(short)).toEqual([`ERROR ${place}`]);
  expect(`${own[0]?.message} ${own[0]?.remedy}`).toContain(words);
});

test('members and JSON may be true, and text may be a number', () => {
  const more = [tell('verdict'), tell('open')];
  const until = (columns: readonly string[], text: string) => check([{ ...BLOCK, columns, until: text }], more);
  expect(until(['verdict'], 'verdict.passed')).toEqual([]);
  expect(until(['open'], 'open.anything')).toEqual([]);
  expect(until(['open'], 'open')).toEqual([]);
  expect(check([{ ...SCORED, keep: { best: 'text' } }])).toEqual([]);
});

test('blocks have columns and names of their own', () => {
  expect(check([BLOCK, { ...BLOCK, name: 'again' }]).map(short)).toEqual(
    [0, 1, 2].map((at) => `ERROR overlapping_attempts attempts[1].columns[${at}]`),
  );
  const [same, ...others] = check([BLOCK, { ...BLOCK, columns: ['yes2'], until: 'yes2' }], [tell('yes2')]);
  expect(others).toEqual([]);
  expect(same).toMatchObject({ type: 'duplicate_name', path: 'attempts[1].name' });
  expect(
    check([BLOCK, { ...BLOCK, name: 'more', columns: ['yes2'], until: 'yes2' }], [tell('yes2', 'solve__attempts')]),
  ).toEqual([]);
});

test('a block must not write what a seed has', () => {
  const columns = [tell('text', 'id'), tell('yes', 'text')];
  const seed_config = { source: { seed_type: 'local', path: 'seeds.csv' } };
  const attempts = [{ ...BLOCK, columns: ['text', 'yes'] }];
  const parsed = parseDataset({ model_configs: [model('warm', 1)], columns, attempts, seed_config }, registry);
  const typesOf = (names: readonly string[]) =>
    checkDataset(parsed, { registry, seedRows: { columns: names, findings: [] } }).map(
      ({ type, path }) => `${type} ${path}`,
    );
  const missing = 'seed_path_missing seed_config.source.path';
  expect(typesOf(['id'])).toEqual([missing]);
  expect(typesOf(['id', 'solve__attempts'])).toEqual([missing, 'duplicate_name attempts[0].name']);
});

test('two blocks that wait for each other are a mistake', () => {
  const more = [tell('yes2', 'number'), tell('number2'), tell('text2', 'number2')];
  const first = { ...BLOCK, columns: ['text2', 'yes', 'text', 'number'] };
  const second = { ...BLOCK, name: 'second', columns: ['yes2', 'number2'], until: 'yes2' };
  const [one, ...others] = check([first, second], more);
  expect(one).toMatchObject({ type: 'circular_attempts', path: 'attempts[0].columns' });
  expect(one?.message).toBe("the block 'second', which makes 'number2', and this block wait for each other.");
  expect(others.map(short)).toEqual(['ERROR circular_attempts attempts[1].columns']);
  const third = { ...BLOCK, name: 'third', columns: ['yes2'], until: 'yes2 and number2 > 1' };
  expect(check([{ ...first, columns: ['text2', 'yes', 'text', 'number', 'number2'] }, third], more)).toEqual([]);
});

test('models at temperature 0 are a warning, unless there is one attempt or another model', () => {
  const cold = [tell('a', 'id', { model_alias: 'cold' }), tell('b', 'a', { model_alias: 'cold' }), tell('c', 'b')];
  const block = { ...BLOCK, until: "a == 'x'" };
  expect(check([{ ...block, columns: ['a', 'b'] }], cold).map(short)).toEqual(['WARNING cold_attempts attempts[0]']);
  expect(check([{ ...block, columns: ['a', 'b'], max: 1 }], cold)).toEqual([]);
  expect(check([{ ...block, columns: ['a', 'b', 'c'] }], cold)).toEqual([]);
});

test('an outside column reads what a block writes, and nothing else', () => {
  const found = check([BLOCK], [tell('x', 'solve__all'), tell('y', 'solve__attempts'), tell('z', '_attempts_solve')]);
  expect(found.map(({ column }) => column)).toEqual(['x', 'z']);
});

/** The fields that a block over some of two columns writes. */
const fieldsOf = (keep: object) => {
  const parsed = parseDataset({ columns: [tell('text'), tell('score')], attempts: [{ ...SCORED, ...keep }] }, registry);
  const facts = parsed.config.columns.map((column) => factsOf(column, registry));
  return (columns: readonly string[]) =>
    attemptFields({ ...parsed.config.attempts![0]!, columns: [...columns] }, facts);
};

test('a block writes fields for what it keeps, and a column named score stays what it is', () => {
  const inside = [field('text', 'utf8'), field('text__trace', 'utf8')];
  const scored = { struct: [...inside, field('score', 'float64')] };
  const count = field('solve__attempts', 'int64');
  const score = field('solve__score', 'float64');
  expect(fieldsOf({ until: 'text' })(['text'])).toEqual([count]);
  expect(fieldsOf({ keep: 'all' })(['text'])).toEqual([count, field('solve__all', { list: { struct: inside } })]);
  expect(fieldsOf({ keep: { best: 'text' } })(['text'])).toEqual([count, score]);
  const pair = fieldsOf({ keep: { pair: 'score' } });
  expect(pair(['text'])).toEqual([count, score, field('solve__chosen', scored), field('solve__rejected', scored)]);
  const judged = { struct: [...inside, field('score', 'utf8'), field('score__trace', 'utf8')] };
  expect(pair(['text', 'score'])).toEqual([
    count,
    score,
    field('solve__chosen', judged),
    field('solve__rejected', judged),
  ]);
});

test('suggestions are columns that an attempt can make, and columns before their side effects', () => {
  const block = { ...BLOCK, columns: ['unknown_column', 'yes', 'number'], until: 'nothing_of_that_name' };
  const remedies = check([block]).map(({ remedy }) => remedy);
  expect(remedies).toContain('Use one of: text, yes, number.');
  expect(remedies).toContainEqual(expect.stringMatching(/^Use one of: id, text, yes, number, text__trace, /));
});

test('a misspelt key hides no other mistake of its column, and a column that cannot be read causes none', () => {
  const misspelt = { name: 'more', column_type: 'told', pormpt: '{{ gone }}', model_alias: 'wram', x: 1 };
  const columns = [...COLUMNS, misspelt, { name: 'lost', column_type: 'tld' }];
  const attempts = [{ name: 'solve', columns: ['text', 'yes', 'lost'], until: 'yes', max: 3 }];
  const models = [model('warm', 1)];
  const parsed = parseDataset({ model_configs: models, columns, attempts }, registry);
  const found = checkDataset(parsed, { registry });
  const reads = { name: 'z', column_type: 'told', prompt: '{{ more__trace }}' };
  const again = parseDataset({ model_configs: models, columns: [...columns, reads], attempts }, registry);
  expect(checkDataset(again, { registry })).toHaveLength(found.length);
  const errors = found.filter(({ level }) => level === 'ERROR');
  expect(errors.map(({ path, remedy }) => `${path}: ${remedy}`)).toEqual([
    "columns[4].pormpt: Did you mean 'prompt'?",
    expect.stringMatching(/^columns\[4\]\.x: Use one of/),
    "columns[5].column_type: Did you mean 'told'?",
    expect.stringMatching(/^columns\[4\]\.prompt: /),
    "columns[4].model_alias: Did you mean 'warm'?",
  ]);
});
