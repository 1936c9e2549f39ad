import { expect, test } from 'vitest';
import { contentOf, textOfContent } from './content-parts.ts';

test.each<[unknown, ReturnType<typeof contentOf>]>([
  [undefined, null],
  [null, null],
  [[], null],
  ['text', 'text'],
  ['', ''],
  [[{ type: 'output_text', text: 'one' }], 'one'],
  [{ type: 'refusal', refusal: 'no' }, 'no'],
  [
    ['one', 7],
    [
      { type: 'text', text: 'one' },
      { type: 'text', text: '7' },
    ],
  ],
  [{ type: 'text' }, '{"type":"text"}'],
  [{ type: 'constructor' }, '{"type":"constructor"}'],
])('converts the content %j to %j', (content, expected) => {
  expect(contentOf(content)).toEqual(expected);
});

test.each<[object, object]>([
  [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
    { type: 'image', media_type: 'image/png', url: 'data:image/png;base64,AA==' },
  ],
  [
    { type: 'image', source: { type: 'url', url: 'https://a/b.png' } },
    { type: 'image', url: 'https://a/b.png' },
  ],
  [
    { type: 'image', source: { media_type: 'image/png', path: 'a/b.png' } },
    { type: 'image', media_type: 'image/png', url: 'a/b.png' },
  ],
  [
    { type: 'image_url', image_url: { url: 'https://a/b.png' } },
    { type: 'image', url: 'https://a/b.png' },
  ],
  [
    { type: 'input_image', image_url: 'https://a/b.png' },
    { type: 'image', url: 'https://a/b.png' },
  ],
  [
    { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
    { type: 'audio', media_type: 'audio/wav', url: 'data:audio/wav;base64,AA==' },
  ],
])('converts the block %j to the part %j', (block, part) => {
  expect(contentOf([block])).toEqual([part]);
});

test('joins the text of parts by blank lines', () => {
  const image = { type: 'image', url: 'https://a/b.png' } as const;
  expect(textOfContent([{ type: 'text', text: 'one' }, image, { type: 'text', text: 'two' }])).toBe('one\n\ntwo');
  expect(textOfContent(null)).toBe('');
});
