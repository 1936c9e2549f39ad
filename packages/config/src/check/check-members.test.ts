import { expect, test } from 'vitest';
import { z } from 'zod';
import { type ArrowField, field, RECORDED_MESSAGE, TRACE_MESSAGE, type Violation } from '@data-designer/core';
import { ColumnRegistry } from '../column-registry.ts';
import { columnFields, defineColumn } from '../define-column.ts';
import { parseDataset } from '../parse-dataset.ts';
import { checkDataset } from './check-dataset.ts';

/** The columns that the templates read. */
const FIELDS: readonly ArrowField[] = [
  field('person', {
    struct: [field('first_name', 'utf8'), field('age', 'int64'), field('open', 'utf8', { json: true })],
  }),
  field('tags', { list: 'utf8' }),
  field('scores', { list: { list: 'float64' } }),
  field('n', 'int64'),
  field('ok', 'bool'),
  field('said', 'utf8'),
  field('t__trace', { list: TRACE_MESSAGE }),
];

const source = defineColumn({
  type: 'source',
  schema: z.strictObject(columnFields('source')),
  writes: ({ name }) => FIELDS.filter((one) => one.name === name),
  cell: () => () => [''],
});

const read = defineColumn({
  type: 'read',
  schema: z.strictObject({ ...columnFields('read'), prompt: z.string() }),
  templates: ({ prompt }) => [{ source: prompt, field: ['prompt'], role: 'prompt' }],
  writes: ({ name }) => [field(name, 'utf8')],
  cell: () => () => [''],
});

const registry = new ColumnRegistry([source, read]);
const sources = FIELDS.map(({ name }) => ({ name, column_type: 'source' }));

function check(prompt: string, more: { readonly skip?: object; readonly processors?: object[] } = {}) {
  const { skip, processors = [] } = more;
  const column = { name: 'x', column_type: 'read', prompt, ...(skip ? { skip } : {}) };
  const parsed = parseDataset({ columns: [...sources, column], processors }, registry);
  return checkDataset(parsed, { registry }).filter(({ type }) => ['missing_member', 'ordered_object'].includes(type));
}

const told = ({ level, path, message }: Violation) => `${level} ${path}: ${message}`;

test('the content parts of the Python tool are an error that names the text', () => {
  expect(check('Shorten: {{ t__trace[0].content[0].text }}')).toMatchObject([
    {
      level: 'ERROR',
      path: 'columns[7].prompt',
      message: "'t__trace[0].content' is text here, and not a list of parts as in the Python tool.",
      remedy:
        'Write t__trace[0].content for the text; t__trace[0].content_parts lists the parts of a message with several.',
    },
  ]);
  expect(check("{% if n %}{{ t__trace[-1]['content'][0]['text'] }}{% endif %}").map(({ level }) => level)).toEqual([
    'ERROR',
  ]);
});

test('an access that finds nothing is an error if every render fails, else a warning', () => {
  expect(check('{{ person.frist_name }}').map(({ level, remedy }) => [level, remedy])).toEqual([
    ['ERROR', "Did you mean 'first_name'?"],
  ]);
  const warned = '{{ person.frist_name }} {{ n.years }} {{ n[0] }} {{ ok.real.x }} {{ tags.first }} {{ scores[0].x }}';
  expect(check(warned).map(told)).toEqual(
    [
      "'person.frist_name' has no value in any row: 'person' has no such member.",
      "'n.years' has no value in any row: 'n' is a number.",
      "'n[0]' has no value in any row: 'n' is a number.",
      "'tags.first' has no value in any row: 'tags' is a list.",
      "'scores[0].x' has no value in any row: 'scores[0]' is a list.",
    ].map((message) => `WARNING columns[7].prompt: ${message}`),
  );
  const failing = 'One: {{ person.nick.upper() }} {{ person.age.x + 1 }} {{ t__trace[0].tool_calls[0].name.x }}';
  expect(check(failing).map(({ level }) => level)).toEqual(['ERROR', 'ERROR', 'ERROR']);
});

test.each([
  'One: {{ person.first_name }} {{ person.first_name.upper() }} {{ person.first_name.any }} {{ person.open.any.thing }}',
  '{{ said.any[0].text }} {{ person.items }} {{ person.keys() }} {{ tags[0] }} {{ tags[-1].x }} {{ tags.count("a") }}',
  '{{ n.real }} {{ n.bit_length() }} {{ scores[0][1] }} {{ scores[0][n] }} {{ tags[1:].x }} {{ n.__class__ }}',
  '{{ t__trace[0].content }} {{ t__trace[0].content[0] }} {{ t__trace[0].content_parts[0].text }}',
  '{{ t__trace[-1].usage.output_tokens }} {{ t__trace[1].tool_calls[0].function.arguments.a }}',
  '{{ t__trace[-1].content.answer[0].text }} {% for m in t__trace %}{{ m.content[0].text }}{% endfor %}',
  '{{ person.nick is defined }} {{ person.nick or n }} {% if person.nick %}{{ person.nick.x }}{% endif %}',
  '{{ (tags | first).x }} {{ n ~ person.nick if person is string }}',
])('%s has no finding', (prompt) => {
  expect(check(prompt)).toEqual([]);
});

test('skip rules and shapes are checked too', () => {
  const found = check('{{ n }}', {
    skip: { when: '{{ person.nick == 1 }}' },
    processors: [{ name: 's', processor_type: 'schema_transform', template: { x: '{{ n.years }}' } }],
  });
  expect(found.map(({ level, path }) => `${level} ${path}`)).toEqual([
    'WARNING columns[7].skip.when',
    'ERROR processors[0].template.x',
  ]);
});

test('a column with a value for skipped cells has no known type', () => {
  const columns = [
    { name: 'n', column_type: 'source', skip: { when: '{{ tags }}', value: 'none' } },
    { name: 'tags', column_type: 'source' },
    { name: 'x', column_type: 'read', prompt: '{{ n.years }}' },
  ];
  expect(checkDataset(parseDataset({ columns }, registry), { registry })).toEqual([]);
});

test('seed columns have the types of the inspected rows', { tags: 'long' }, () => {
  const document = {
    seed_config: { source: { seed_type: 'agent_rollout', format: 'codex', path: '.' } },
    columns: [{ name: 'x', column_type: 'read', prompt: 'One: {{ messages[0].content[0].text }}' }],
  };
  const fields = [field('messages', { list: RECORDED_MESSAGE })];
  const found = checkDataset(parseDataset(document, registry), {
    registry,
    seedRows: { columns: ['messages'], fields, findings: [] },
  });
  expect(found.filter(({ type }) => ['missing_member', 'ordered_object'].includes(type)).map(told)).toEqual([
    "ERROR columns[0].prompt: 'messages[0].content' is text here, and not a list of parts as in the Python tool.",
  ]);
});

test.each([
  ['{% if person > 3 %}a{% endif %}', "'person' is an object, so that > fails in every row.", 'person.age'],
  ['{% if tags >= 2 %}a{% endif %}', "'tags' is a list, so that >= fails in every row.", 'tags | length >= 1'],
  ["{{ 'a' < scores[0] }}", "'scores[0]' is a list", 'scores[0] | length'],
])('a comparison of order with an object or a list is told: %s', (prompt, said, way) => {
  const message: unknown = expect.stringContaining(said);
  const remedy: unknown = expect.stringContaining(way);
  expect(check(prompt)).toMatchObject([{ level: 'WARNING', message, remedy }]);
});

test.each([
  '{{ n >= 2 }}',
  '{{ person.age < n }}',
  '{{ tags < scores }}',
  '{{ scores[0][0] > 1 }}',
  '{{ said > 3 }}',
  '{{ person.open > 3 }}',
  '{{ ok > n }}',
  '{{ tags | length > 1 }}',
  '{{ tags == 2 }}',
])('a comparison of order that some row can answer is not told: %s', (prompt) => {
  expect(check(prompt)).toEqual([]);
});
