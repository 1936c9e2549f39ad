import { expect, test } from 'vitest';
import { readGenerated, readPainted } from './read-pictures.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const JPEG = '/9j/4AAQSkZJRg==';
const png = { mediaType: 'image/png', base64: PNG };
const painted = (message: object) => readPainted({ choices: [{ message }] }, 'm').pictures;

test('pictures of the route of their own: as they are, or where they can be fetched', () => {
  const data = [{ b64_json: PNG }, { url: 'https://a.example/b.png' }, { b64_json: JPEG }];
  expect(readGenerated({ data }, 'm').pictures).toEqual([
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
  // What its bytes show counts more than what is said about it.
  [{ images: [`data:image/jpeg;base64,${PNG}`] }, png],
])('a picture of a conversation: %j', (message, picture) => {
  expect(painted(message)).toEqual([picture]);
});

test.each([
  [{ content: 'I cannot draw.' }, /it said 'I cannot draw\.'/],
  [{ content: '' }, /it said nothing/],
  [{ content: 'data:text/html;base64,AAAA' }, /gave no picture/],
  [{ images: [], content: null }, /it said nothing/],
])('%j is no picture', (message, said) => {
  expect(() => painted(message)).toThrow(said);
});

test('a list without pictures is a failure that names the model', () => {
  expect(() => readGenerated({ data: [] }, 'm')).toThrow(/Model 'm' gave no picture: its list is empty/);
  expect(() => readGenerated({ error: { message: 'refused by a filter' } }, 'm')).toThrow(/refused by a filter/);
});
