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

test('an image list holds images as bytes or as URLs', () => {
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
  // The bytes of an image decide over its declared type.
  [{ images: [`data:image/jpeg;base64,${PNG}`] }, png],
])('reads the image in the chat answer %j', (message, picture) => {
  expect(imagesOf(message)).toEqual([picture]);
});

test.each([
  [{ content: 'I cannot draw.' }, /the answer is the text 'I cannot draw\.'/],
  [{ content: '' }, /the answer is empty/],
  [{ content: 'data:text/html;base64,AAAA' }, /returned no image/],
  [{ images: [], content: null }, /the answer is empty/],
  [{ content: null, refusal: 'I will not draw that.' }, /the answer is the text 'I will not draw that\.'/],
  [
    {
      content: [
        { type: 'text', text: 'See there.' },
        { type: 'reference', url: PNG },
      ],
    },
    /the answer is the text 'See there\.'/,
  ],
])('the chat answer %j holds no image', (message, said) => {
  expect(() => imagesOf(message)).toThrow(said);
});

test('an empty image list is an error that names the model', () => {
  expect(() => readImageList({ data: [] }, 'm')).toThrow(/Model 'm' returned no image: its list is empty/);
  expect(() => readImageList({ error: { message: 'refused by a filter' } }, 'm')).toThrow(/refused by a filter/);
});

test('unknown image formats and a body that is not JSON are errors with the reason', () => {
  expect(() => readImageList({ data: [{ b64_json: 'AAAA' }] }, 'm')).toThrow(/none of the kinds png/);
  expect(() => readImageList('<html>', 'm')).toThrow(/not a JSON object/);
});

test('one text may hold several images', () => {
  expect(imagesOf({ content: `![a](data:image/png;base64,${PNG}) and ![b](https://a.example/b.png)` })).toEqual([
    png,
    { url: 'https://a.example/b.png' },
  ]);
});

const counts = (message: object) =>
  [countImagesBesideText, countChatImages].map((count) => count({ choices: [{ message }] }));

test('images are counted as returned, unreadable ones included', () => {
  expect(countImageList({ data: [{ b64_json: 'AAAA' }, { url: 'https://a.example/b.png' }, {}] })).toBe(2);
  expect([null, 'x', {}, { data: 1 }].map(countImageList)).toEqual([0, 0, 0, 0]);
  expect(counts({ content: 'x', images: [{ image_url: { url: 'AAAA' } }] })).toEqual([1, 1]);
  expect(counts({ content: [{ type: 'image_url', image_url: { url: PNG } }] })).toEqual([1, 1]);
  expect(counts({ content: `![a](${PNG})` })).toEqual([0, 1]);
  expect(counts({ content: 'Look at https://a.example/b.png' })).toEqual([0, 0]);
  expect([null, 'x', {}, { choices: null }, { choices: [{}] }].map(countChatImages)).toEqual([0, 0, 0, 0, 0]);
});
