import { field } from '@data-designer/core';
import { readForm } from '@data-designer/config';
import { expect, test } from 'vitest';
import { image } from './image.ts';

const { schema } = image;
const document = { name: 'art', column_type: 'image', prompt: 'Ink sketch of {{ a }}', model_alias: 'painter' };

function column(more: object = {}) {
  return schema.parse(readForm(schema, { ...document, ...more }));
}

test('declares its prompt and writes a list of texts', () => {
  expect(image.templates?.(column())).toEqual([
    { source: 'Ink sketch of {{ a }}', field: ['prompt'], role: 'prompt', mayBeSame: false },
  ]);
  expect(image.writes(column())).toEqual([field('art', { list: 'utf8' })]);
  expect(image.spends?.(column())).toMatchObject({
    models: ['painter'],
    generationTypes: ['image', 'chat-completion'],
  });
});

test('reads the pictures that it starts from, and may then ask every row the same', () => {
  const config = column({ multi_modal_context: [{ column_name: 'photo' }] });
  expect(image.reads?.(config)).toEqual([{ name: 'photo', field: ['multiModalContext', 0, 'columnName'] }]);
  expect(image.templates?.(config)).toMatchObject([{ mayBeSame: true }]);
  expect(image.reads?.(column())).toEqual([]);
});

test('is declared, but not made yet', () => {
  expect(image).toMatchObject({ unmade: true });
});

test.each(['system_prompt', 'tool_alias', 'with_trace'])('a picture has no %s', (key) => {
  expect(schema.safeParse(readForm(schema, { ...document, [key]: null })).error?.issues).toMatchObject([
    { code: 'unrecognized_keys', keys: [key] },
  ]);
});
