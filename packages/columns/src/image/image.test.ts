import { expect, test } from 'vitest';
import { type Cell, field, type ImageQuestion, isFailure, type Picture, type Row } from '@data-designer/core';
import { readForm } from '@data-designer/config';
import { image } from './image.ts';

const { schema } = image;
const document = { name: 'art', column_type: 'image', prompt: 'Ink sketch of {{ a }}', model_alias: 'painter' };

function column(more: object = {}) {
  return schema.parse(readForm(schema, { ...document, ...more }));
}

test('declares its prompt and writes a list of strings', () => {
  expect(image.templates?.(column())).toEqual([
    { source: 'Ink sketch of {{ a }}', field: ['prompt'], role: 'prompt', mayBeSame: false },
  ]);
  expect(image.writes(column())).toEqual([field('art', { list: 'utf8' })]);
  expect(image.requires?.(column())).toMatchObject({
    models: ['painter'],
    generationTypes: ['image', 'chat-completion'],
  });
});

test('reads its input images, and then allows the same prompt in every row', () => {
  const config = column({ multi_modal_context: [{ column_name: 'photo' }] });
  expect(image.reads?.(config)).toEqual([{ name: 'photo', field: ['multiModalContext', 0, 'columnName'] }]);
  expect(image.templates?.(config)).toMatchObject([{ mayBeSame: true }]);
  expect(image.reads?.(column())).toEqual([]);
});

/** Runs a cell on a row: returns its requests and the values it writes. */
async function make(more: object, row: Row, pictures: readonly string[] = ['AAAA']) {
  const asked: { readonly prompt: string; readonly media: unknown }[] = [];
  const cell = {
    row,
    generateImage: async ({ prompt, media }: ImageQuestion) => {
      asked.push({ prompt: prompt(), media: await media?.() });
      return pictures.map((base64) => ({ mediaType: 'image/png', base64 }));
    },
    keepPicture: ({ base64 }: Picture) => Promise.resolve(`images/${base64}.png`),
  };
  const { cell: maker } = image as Extract<typeof image, { cell: unknown }>;
  const written = await maker(column(more), { templates: 'secure', constraints: [] })(cell as unknown as Cell);
  return { asked, written };
}

test('sends the rendered prompt and lists every stored image', async () => {
  const { asked, written } = await make({}, { a: 'bees' }, ['AAAA', 'BBBB']);
  expect(asked).toEqual([{ prompt: 'Ink sketch of bees', media: undefined }]);
  expect(written).toEqual([['images/AAAA.png', 'images/BBBB.png']]);
});

test('writes a single image as a list', async () => {
  expect((await make({}, { a: 'bees' })).written).toEqual([['images/AAAA.png']]);
});

test('sends its input images with the prompt', async () => {
  const { asked } = await make({ multi_modal_context: [{ column_name: 'p' }] }, { a: 'x', p: 'http://a.example/' });
  expect(asked).toMatchObject([{ media: [{ type: 'image', url: 'http://a.example/' }] }]);
});

test('a blank prompt fails and names the empty columns', async () => {
  const failure: unknown = await make({ prompt: ' {{ a }} ' }, { a: ' ' }).catch((thrown: unknown) => thrown);
  expect(isFailure(failure, 'template/empty-render')).toBe(true);
  expect((failure as Error).message).toMatch(/empty or missing: a/);
});

test.each(['system_prompt', 'tool_alias', 'with_trace'])('refuses the key %s', (key) => {
  expect(schema.safeParse(readForm(schema, { ...document, [key]: null })).error?.issues).toMatchObject([
    { code: 'unrecognized_keys', keys: [key] },
  ]);
});
