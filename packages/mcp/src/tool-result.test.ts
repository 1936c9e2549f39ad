import { expect, test } from 'vitest';
import { stringifyJson } from '@data-designer/core';
import type { StructuredUse } from './structured-content.ts';
import { readToolResult } from './tool-result.ts';

const read = (result: unknown): unknown => {
  const outcome = readToolResult(JSON.stringify(result));
  return outcome.failed ? { reason: outcome.reason } : outcome.content;
};

const NO_BASE64 = '[an image item holds no Base64]';
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
  ['reads the result of the first protocol version', { toolResult: { n: 1 } }, '{"n":1}'],
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
    '[resource file:///a]\ninside\n[resource file:///b]\n[resource file:///c; name: c]\n[audio audio/wav]',
  ],
  [
    'shows structured content beside an empty text',
    { content: [{ type: 'text', text: '' }], structuredContent: { n: 1 } },
    '{"n":1}',
  ],
  [
    'shows structured content beside blanks',
    { content: [{ type: 'text', text: ' \n' }], structuredContent: [1] },
    '[1]',
  ],
  [
    'shows what a link says about its resource',
    {
      content: [
        {
          type: 'resource_link',
          uri: 'file:///c',
          name: 'c',
          title: 'C',
          description: 'Of Oslo',
          mimeType: 'text/csv',
          size: 3,
        },
      ],
    },
    '[resource file:///c; name: c; title: C; description: Of Oslo; type: text/csv; size: 3 bytes]',
  ],
  [
    'names an image of a type that is none, beside its text',
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: 'AAAA', mimeType: 'text/html' },
      ],
    },
    'a\n[an image item of the type text/html, which is not an image]',
  ],
  [
    'shows text for the audience of users',
    { content: [{ type: 'text', text: 'a', annotations: { audience: ['user'] } }] },
    'a',
  ],
  ['shows an unknown item of text alone as its text', { content: [{ type: 'output_text', text: 'a' }] }, 'a'],
  [
    'shows an unknown item with more than text as JSON',
    { content: [{ type: 'note', text: 'a', depth: 3 }] },
    '{"type":"note","text":"a","depth":3}',
  ],
  ['replaces half a character', { content: [{ type: 'text', text: 'a\ud800b\u0000' }] }, 'a\ufffdb\u0000'],
  ['shows an unknown item as JSON', { content: [{ type: 'hologram', depth: 3 }] }, '{"type":"hologram","depth":3}'],
])('%s', (_claim, result, content) => {
  expect(read(result)).toBe(content);
});

test.each<[string, readonly string[], StructuredUse, string]>([
  ['the text and then the structured content', ['2 orders'], 'append', '2 orders\n{"n":1}'],
  ['the structured content in place of the text', ['2 orders'], 'prefer', '{"n":1}'],
  ['text once that is the structured content', ['{ "n": 1.0 }'], 'append', '{ "n": 1.0 }'],
  ['the structured content alone beside no text', [], 'append', '{"n":1}'],
])('shows %s', (...[, texts, use, shown]) => {
  expect(readStructured(texts, { n: 1 }, use)).toBe(shown);
});

test.each<[string, readonly string[], unknown]>([
  ['a wrapped text', ['one'], { result: 'one' }],
  ['a wrapped list, an item in each text', ['1', '{"a":2}'], { result: [1, { a: 2 }] }],
  ['members in another order', ['{"b":2,"a":1}'], { a: 1, b: 2 }],
  ['integers of many digits', ['12345678901234567890'], { result: 12345678901234567890n }],
])('append does not double %s', (_claim, texts, structured) => {
  expect(readStructured(texts, structured, 'append')).toBe(texts.join('\n'));
});

test('append tells integers apart by every digit', () => {
  const shown = readStructured(['12345678901234567890'], { result: 12345678901234567891n }, 'append');
  expect(shown).toBe('12345678901234567890\n{"result":12345678901234567891}');
});

test('an image keeps its place beside preferred structured content', () => {
  const image = { type: 'image', data: PNG, mimeType: 'image/png' };
  const body = stringifyJson({ content: [{ type: 'text', text: 'a' }, image], structuredContent: { n: 1 } });
  const outcome = readToolResult(body, 'prefer');
  expect(outcome).toMatchObject({ content: [{ type: 'text', text: '{"n":1}' }, { type: 'image' }] });
});

test('the bytes of an image count rather than a wrong type', () => {
  const item = { type: 'image', data: PNG, mimeType: 'application/octet-stream' };
  expect(read({ content: [item] })).toEqual([
    { type: 'image', media_type: 'image/png', url: `data:image/png;base64,${PNG}` },
  ]);
});

test.each([
  ['no content', { content: [], isError: true }, 'the tool reported an error without a text'],
  [
    'a blank text',
    { content: [{ type: 'text', text: ' ' }], isError: true },
    'the tool reported an error without a text',
  ],
  ['structured content', { isError: true, structuredContent: { why: 'no' } }, '{"why":"no"}'],
  [
    'a picture alone',
    { isError: true, content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] },
    'the tool reported an error without a text [image/png]',
  ],
])('an error with %s has a reason', (_claim, result, reason) => {
  expect(read(result)).toEqual({ reason });
});

function readStructured(texts: readonly string[], structured: unknown, use: StructuredUse): unknown {
  const content = texts.map((text) => ({ type: 'text', text }));
  const outcome = readToolResult(stringifyJson({ content, structuredContent: structured }), use);
  return outcome.failed ? { reason: outcome.reason } : outcome.content;
}

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
    isPart: false,
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

test.each<[string, unknown, string]>([
  ['a text item without text', { type: 'text' }, '[a text item has no text]'],
  ['a text item whose text is null', { type: 'text', text: null }, '[a text item has no text]'],
  ['an image that is no Base64', { type: 'image', data: '<svg>', mimeType: 'image/png' }, NO_BASE64],
  ['an image that is empty', { type: 'image', data: '', mimeType: 'image/png' }, NO_BASE64],
  ['a data address that is no Base64', { type: 'image', data: 'data:image/svg+xml;utf8,<svg/>' }, NO_BASE64],
  ['a data address with broken Base64', { type: 'image_url', image_url: 'data:image/png;base64,<>' }, NO_BASE64],
  ['an image item without an image', { type: 'image', mimeType: 'image/png' }, '[an image item has no image]'],
  ['a resource item without a resource', { type: 'resource' }, '[a resource item has no resource]'],
])('%s is named in its place, and the text beside it stays', (_claim, item, note) => {
  const [before, after] = ['a', 'b'].map((text) => ({ type: 'text', text }));
  expect(read({ content: [before, item, after] })).toBe(`a\n${note}\nb`);
  expect(read({ content: [before, item, { type: 'image', data: PNG }] })).toMatchObject([
    { text: 'a' },
    { text: note },
    { type: 'image' },
  ]);
  expect(read({ content: [item], structuredContent: { n: 1 } })).toBe(`{"n":1}\n${note}`);
  expect(read({ content: [item, { type: 'text', text: ' ' }] })).toEqual({
    reason: `its result cannot be read: ${note.slice(1, -1)}`,
  });
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
  ['an error by a text', { isError: 'True', content: [{ type: 'text', text: 'no such page' }] }, 'no such page'],
  ['content that is not a list', { content: 7 }, "its result cannot be read: its 'content' is not a list"],
  ['a result that is not an object', 7, 'its result cannot be read: it is not a JSON object'],
])('reports %s', (_claim, result, reason) => {
  expect(read(result)).toEqual({ reason });
});
