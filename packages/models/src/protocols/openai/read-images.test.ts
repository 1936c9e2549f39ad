import { expect, test } from 'vitest';
import {
  countImagesBesideText,
  countImageList,
  countChatImages,
  readImageList,
  readChatImages,
} from './read-images.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const JPEG = '/9j/4AAQSkZJRg==';
const png = { mediaType: 'image/png', base64: PNG };
const imagesOf = (message: object) => readChatImages({ choices: [{ message }] }, 'm').pictures;

test('pictures of the route of their own: as they are, or where they can be fetched', () => {
  const data = [{ b64_json: PNG }, { url: 'https://a.example/b.png' }, { b64_json: JPEG }];
  expect(readImageList({ data }, 'm').pictures).toEqual([
    png,
    { url: 'https://a.example/b.png' },
    { mediaType: 'image/jpeg', base64: JPEG },
  ]);
});

test.each([
  [{ images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] }, png],
  [{ images: [`data:image/png;base64,${PNG}`] }, png],
  [{ images: [{ url: PNG }] }, png],
  [{ images: [{ image_url: 'https://a.example/b.png' }] }, { url: 'https://a.example/b.png' }],
  [{ content: `data:image/png;base64,${PNG}` }, png],
  [{ content: ` ${PNG}\n` }, png],
  [{ content: 'https://a.example/b.png' }, { url: 'https://a.example/b.png' }],
  [{ content: `Here it is: ![a cat](data:image/png;base64,${PNG})` }, png],
  [{ content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] }, png],
  [{ content: `data:image/png;base64,\n${PNG.slice(0, 12)}\n${PNG.slice(12)}` }, png],
  // What its bytes show counts more than what is said about it.
  [{ images: [`data:image/jpeg;base64,${PNG}`] }, png],
])('a picture of a conversation: %j', (message, picture) => {
  expect(imagesOf(message)).toEqual([picture]);
});

test.each([
  [{ content: 'I cannot draw.' }, /it said 'I cannot draw\.'/],
  [{ content: '' }, /it said nothing/],
  [{ content: 'data:text/html;base64,AAAA' }, /returned no image/],
  [{ images: [], content: null }, /it said nothing/],
  [{ content: null, refusal: 'I will not draw that.' }, /it said 'I will not draw that\.'/],
  [
    {
      content: [
        { type: 'text', text: 'See there.' },
        { type: 'reference', url: PNG },
      ],
    },
    /it said 'See there\.'/,
  ],
])('%j is no picture', (message, said) => {
  expect(() => imagesOf(message)).toThrow(said);
});

test('a list without pictures is a failure that names the model', () => {
  expect(() => readImageList({ data: [] }, 'm')).toThrow(/Model 'm' returned no image: its list is empty/);
  expect(() => readImageList({ error: { message: 'refused by a filter' } }, 'm')).toThrow(/refused by a filter/);
});

test('a list of what is no picture says so, and a page is no answer', () => {
  expect(() => readImageList({ data: [{ b64_json: 'AAAA' }] }, 'm')).toThrow(/none of the kinds png/);
  expect(() => readImageList('<html>', 'm')).toThrow(/not a JSON object/);
});

test('several pictures in one text are several', () => {
  expect(imagesOf({ content: `![a](data:image/png;base64,${PNG}) and ![b](https://a.example/b.png)` })).toEqual([
    png,
    { url: 'https://a.example/b.png' },
  ]);
});

const counts = (message: object) =>
  [countImagesBesideText, countChatImages].map((count) => count({ choices: [{ message }] }));

test('pictures are counted as they are given, those that cannot be read too', () => {
  expect(countImageList({ data: [{ b64_json: 'AAAA' }, { url: 'https://a.example/b.png' }, {}] })).toBe(2);
  expect([null, 'x', {}, { data: 1 }].map(countImageList)).toEqual([0, 0, 0, 0]);
  expect(counts({ content: 'x', images: [{ image_url: { url: 'AAAA' } }] })).toEqual([1, 1]);
  expect(counts({ content: [{ type: 'image_url', image_url: { url: PNG } }] })).toEqual([1, 1]);
  expect(counts({ content: `![a](${PNG})` })).toEqual([0, 1]);
  expect(counts({ content: 'Look at https://a.example/b.png' })).toEqual([0, 0]);
  expect([null, 'x', {}, { choices: null }, { choices: [{}] }].map(countChatImages)).toEqual([0, 0, 0, 0, 0]);
});
