import { expect, test } from 'vitest';
import { readToolResult } from './tool-result.ts';

const read = (result: unknown): unknown => {
  const outcome = readToolResult(JSON.stringify(result));
  return outcome.failed ? { reason: outcome.reason } : outcome.content;
};

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test.each([
  [
    'joins texts by newlines',
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    'a\nb',
  ],
  ['reads no content as empty', { content: null }, ''],
  ['reads an empty list as empty', { content: [] }, ''],
  ['reads a bare string as itself', { content: 'plain' }, 'plain'],
  ['shows structured content if there is no text', { content: [], structuredContent: { n: 1 } }, '{"n":1}'],
  [
    'prefers text to structured content',
    { content: [{ type: 'text', text: 'one' }], structuredContent: { n: 1 } },
    'one',
  ],
  [
    'shows resources by their text or their address',
    {
      content: [
        { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
        { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA' } },
        { type: 'resource_link', uri: 'file:///c', name: 'c' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      ],
    },
    'inside\n[resource file:///b]\n[resource file:///c]\n[audio audio/wav]',
  ],
  ['shows an unknown item as JSON', { content: [{ type: 'hologram', depth: 3 }] }, '{"type":"hologram","depth":3}'],
])('%s', (_claim, result, content) => {
  expect(read(result)).toBe(content);
});

test.each([
  ['base64 under another name', { b64_json: PNG, media_type: 'image/png' }],
  ['bytes with an image media type', { data: PNG, mimeType: 'image/png' }],
  [
    'a resource with the bytes of an image',
    { type: 'resource', resource: { uri: 'a:b', blob: PNG, mimeType: 'image/png' } },
  ],
  ['a data address', { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }],
])('shows as an image %s', (_claim, item) => {
  expect(read({ content: [item] })).toEqual([
    { type: 'image', media_type: 'image/png', url: `data:image/png;base64,${PNG}` },
  ]);
});

test('long integers keep their digits', () => {
  const structured = '{"n":12345678901234567890,"x":1.0}';
  expect(readToolResult(`{"content":[],"structuredContent":${structured}}`)).toEqual({
    failed: false,
    content: structured,
  });
});

test('keeps items separate and in order when there is an image', () => {
  const content = [
    { type: 'text', text: 'before' },
    { type: 'image', data: PNG, mimeType: 'image/png' },
    { type: 'image', data: PNG },
    { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
  ];
  expect(read({ content })).toEqual([
    { type: 'text', text: 'before' },
    { type: 'image', media_type: 'image/png', url: `data:image/png;base64,${PNG}` },
    { type: 'image', media_type: 'image/png', url: `data:image/png;base64,${PNG}` },
    { type: 'image', url: 'https://example.org/a.png' },
  ]);
});

test.each([
  ['an error by its text', { isError: true, content: [{ type: 'text', text: 'no such page' }] }, 'no such page'],
  ['an error without a text', { isError: true, content: [] }, 'the tool reported an error without a text'],
  [
    'an invalid image',
    { content: [{ type: 'image', data: '<svg>', mimeType: 'image/png' }] },
    'its result cannot be read: an image item holds no Base64',
  ],
  [
    'an image of an unsupported type',
    { content: [{ type: 'image', data: 'AAAA', mimeType: 'text/html' }] },
    'its result cannot be read: an image item is of the type text/html',
  ],
  [
    'an image item without an image',
    { content: [{ type: 'image' }] },
    'its result cannot be read: an image item has no image',
  ],
  ['a text item without text', { content: [{ type: 'text' }] }, 'its result cannot be read: a text item has no text'],
  [
    'a resource item without a resource',
    { content: [{ type: 'resource' }] },
    'its result cannot be read: a resource item has no resource',
  ],
  ['content that is not a list', { content: 7 }, "its result cannot be read: its 'content' is not a list"],
  ['a result that is not an object', 7, 'its result cannot be read: it is not a JSON object'],
])('reports %s', (_claim, result, reason) => {
  expect(read(result)).toEqual({ reason });
});
