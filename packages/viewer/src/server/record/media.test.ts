import { expect, test } from 'vitest';
import { field, type ArrowType } from '@data-designer/core';
import { inlinedMedia, mediaIn, mediaKinds, mediaOfPart } from './media.ts';

const base64 = (hex: string) => Buffer.from(`${hex}${'00'.repeat(12)}`, 'hex').toString('base64');

test.each([
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ffe0'],
  ['image/gif', '474946383961'],
  ['image/webp', '524946460000000057454250'],
])('an image in Base64 is inlined as %s, detected by its bytes', async (mediaType, hex) => {
  const address = `data:${mediaType};base64,${base64(hex)}`;
  const media = await inlinedMedia([base64(hex)], 'image', { column: 'pic', folder: null });
  expect(media).toEqual([{ name: 'pic', kind: 'image', address, note: null }]);
});

test.each([
  ['audio that begins like an image', base64('524946460000000057415645')],
  ['a URL', 'https://example.org/a.png'],
  ['an image followed by other text', `${base64('ffd8ffe0')}" onerror="x`],
  ['the path of a file elsewhere', '/etc/hostname'],
])('%s is not inlined, but named', async (_, source) => {
  const [medium] = await inlinedMedia(source, 'image', { column: 'pic', folder: import.meta.dirname });
  expect(medium?.address).toBeNull();
  expect(medium?.note).toContain(source);
});

const fileType = (...members: [string, ArrowType][]): ArrowType => ({
  struct: members.map(([name, type]) => field(name, type)),
});
const FILE = fileType(['bytes', 'utf8'], ['path', 'utf8']);
const kindOfType = (type: ArrowType) =>
  mediaKinds({ columns: [], fields: [field('c', type)] }, [{ name: 'c', shown: 'value' }]).get('c');

test.each<readonly [string, ArrowType, string | undefined]>([
  ['a stored file', FILE, 'file'],
  ['a list of stored files', { list: FILE }, 'file'],
  ['a text', 'utf8', undefined],
  ['a list of texts', { list: 'utf8' }, undefined],
  ['a struct with a further member', fileType(['bytes', 'utf8'], ['path', 'utf8'], ['more', 'utf8']), undefined],
  ['a struct without a path', fileType(['bytes', 'utf8'], ['other', 'utf8']), undefined],
  ['a struct of numbers', fileType(['bytes', 'int64'], ['path', 'utf8']), undefined],
])('%s has media by its type, or has not', (_, type, kind) => {
  expect(kindOfType(type)).toBe(kind);
});

test('columns of pictures and those that are sent to models have media, and columns that are not shown have none', () => {
  const sent = {
    config: {
      multiModalContext: [
        { columnName: 'sound', modality: 'audio' },
        { columnName: 'odd', modality: 'smell' },
      ],
    },
  };
  const fields = [field('shown', FILE), field('hidden', FILE)];
  const infos = [
    { name: 'shown', shown: 'value' },
    { name: 'drawn', shown: 'pictures' },
  ] as const;
  const columns = [sent, { config: {} }] as unknown as Parameters<typeof mediaKinds>[0]['columns'];
  expect([...mediaKinds({ columns, fields }, infos)]).toEqual([
    ['shown', 'file'],
    ['drawn', 'image'],
    ['sound', 'audio'],
  ]);
});

test('the media of a value have their places and kinds, and what is none is left out', () => {
  const place = { dataset: 'd', index: 3, column: 'c' };
  const png = base64('89504e470d0a1a0a');
  expect(mediaIn(png, undefined, place)).toEqual([]);
  const found = mediaIn(['no media', png, 'a.wav'], 'file', place);
  expect(found.map(({ kind, name }) => [kind, name])).toEqual([
    ['image', 'c 2'],
    ['audio', 'c 3'],
  ]);
  expect(mediaOfPart({ type: 'image', url: 'x' }, { ...place, message: 1, part: 2 })).toMatchObject({ kind: 'image' });
  expect(mediaOfPart({ type: 'text', url: 'x' }, { ...place, message: 1, part: 2 })).toBeUndefined();
});
