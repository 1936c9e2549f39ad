import { expect, test } from 'vitest';
import { type CellValue, type ContentPart, isFailure } from '@data-designer/core';
import { mediaOf } from './media-parts.ts';

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const PNG = base64('89504e470d0a1a0a0000000d49484452');
const JPEG = base64('ffd8ffe000104a464946000101000001');
const GIF = base64('47494638396101000100800000ffffff');
const WEBP = base64('524946461a000000574542505650384c');
const WAV = base64('524946461a00000057415645666d7420');
const TEXT = Buffer.from('just some words, long enough').toString('base64');
const FILES: Readonly<Record<string, string>> = {
  'seed/heron.png': PNG,
  'odd.png': JPEG,
  'text.png': TEXT,
  'song.mp3': TEXT,
  'call.wav': WAV,
};

type Kind = 'image' | 'audio' | 'video';

/** The media parts that one context makes of a value. */
function show(modality: Kind, value: CellValue, more: object = {}): Promise<readonly ContentPart[]> {
  const context = { modality, columnName: 'c', dataType: null, [`${modality}Format`]: null, ...more };
  const cell = { row: { c: value }, readMedia: (path: string) => Promise.resolve(FILES[path]) };
  return mediaOf([context as never])?.(cell) ?? Promise.reject(new Error('no contexts'));
}

const data = (mediaType: string, content: string) => ({
  type: mediaType.split('/')[0],
  media_type: mediaType,
  url: `data:${mediaType};base64,${content}`,
});

test('returns undefined without contexts', () => {
  expect(mediaOf(null)).toBeUndefined();
  expect(mediaOf([])).toBeUndefined();
});

test.each<[string, Kind, CellValue, object, readonly object[]]>([
  ['an http address', 'image', 'https://a.example/heron', {}, [{ type: 'image', url: 'https://a.example/heron' }]],
  ['any text said to be an address', 'image', 'x/y', { dataType: 'url' }, [{ type: 'image', url: 'x/y' }]],
  [
    'a list',
    'image',
    ['http://a.example/1.png', PNG],
    {},
    [{ type: 'image', url: 'http://a.example/1.png' }, data('image/png', PNG)],
  ],
  ['a list written as JSON', 'image', ` ["${PNG}", "${GIF}"]`, {}, [data('image/png', PNG), data('image/gif', GIF)]],
  ['an empty list', 'image', [], {}, []],
  ['JPEG by its bytes', 'image', JPEG, {}, [data('image/jpeg', JPEG)]],
  ['WebP by its bytes', 'image', WEBP, {}, [data('image/webp', WEBP)]],
  ['lines of Base64', 'image', `${PNG.slice(0, 8)}\n${PNG.slice(8)}\n`, {}, [data('image/png', PNG)]],
  ['bytes that tell nothing, with a format', 'image', TEXT, { imageFormat: 'webp' }, [data('image/webp', TEXT)]],
  ['a data address', 'image', `data:image/jpg;base64,${JPEG}`, {}, [data('image/jpeg', JPEG)]],
  ['declared Base64', 'image', TEXT, { dataType: 'base64', imageFormat: 'jpg' }, [data('image/jpeg', TEXT)]],
  [
    'a data address of the declared format',
    'image',
    `data:image/jpeg;base64,${JPEG}`,
    { dataType: 'base64', imageFormat: 'jpg' },
    [data('image/jpeg', JPEG)],
  ],
  ['a file of the dataset', 'image', 'seed/heron.png', {}, [data('image/png', PNG)]],
  ['a file with the wrong ending', 'image', 'odd.png', {}, [data('image/jpeg', JPEG)]],
  ['a file in the cell by its bytes', 'image', { bytes: PNG, path: 'x.jpg' }, {}, [data('image/png', PNG)]],
  [
    'bytes that contradict a format',
    'image',
    { bytes: GIF, path: null },
    { imageFormat: 'png' },
    [data('image/gif', GIF)],
  ],
  ['a file in the cell by its path', 'image', { bytes: null, path: 'seed/heron.png' }, {}, [data('image/png', PNG)]],
  [
    'a list of files in the cell',
    'image',
    [
      { bytes: JPEG, path: null },
      { path: 'https://a.example/1', bytes: null },
    ],
    {},
    [data('image/jpeg', JPEG), { type: 'image', url: 'https://a.example/1' }],
  ],
  ['a path beside empty bytes', 'image', { bytes: '', path: 'seed/heron.png' }, {}, [data('image/png', PNG)]],
  [
    'sound of unknown bytes with a format',
    'audio',
    { bytes: TEXT, path: null },
    { audioFormat: 'mp3' },
    [data('audio/mpeg', TEXT)],
  ],
  ['sound in the cell', 'audio', { bytes: WAV, path: 'x.mp3' }, {}, [data('audio/wav', WAV)]],
  ['sound by its bytes', 'audio', WAV, {}, [data('audio/wav', WAV)]],
  ['sound at an address', 'audio', 'https://a.example/x', {}, [{ type: 'audio', url: 'https://a.example/x' }]],
  ['sound in a data address', 'audio', `data:audio/mp3;base64,${TEXT}`, {}, [data('audio/mpeg', TEXT)]],
  ['sound with a format', 'audio', TEXT, { audioFormat: 'wav' }, [data('audio/wav', TEXT)]],
  ['declared sound', 'audio', TEXT, { dataType: 'base64', audioFormat: 'mp3' }, [data('audio/mpeg', TEXT)]],
  [
    'a path that the model server reads',
    'audio',
    '/mnt/x.wav',
    { dataType: 'url' },
    [{ type: 'audio', url: '/mnt/x.wav' }],
  ],
  ['sound in a file', 'audio', 'call.wav', {}, [data('audio/wav', WAV)]],
  ['sound in a file that tells nothing', 'audio', 'song.mp3', {}, [data('audio/mpeg', TEXT)]],
  ['film with a format', 'video', TEXT, { videoFormat: 'mov' }, [data('video/quicktime', TEXT)]],
  [
    'film at a signed address',
    'video',
    'x/y.webm?sig=1',
    { dataType: 'url' },
    [{ type: 'video', url: 'x/y.webm?sig=1' }],
  ],
])('%s', async (...[, kind, value, more, parts]) => {
  expect(await show(kind, value, more)).toEqual(parts);
});

test.each<[string, Kind, CellValue, object, RegExp]>([
  ['null', 'image', null, {}, /column 'c' .* as image: it is null/],
  ['nothing', 'image', '', {}, /empty text/],
  ['an empty file', 'image', { bytes: null, path: null }, {}, /both its bytes and its path are null/],
  ['a file of unknown bytes', 'image', { bytes: TEXT, path: 'a.png' }, {}, /its bytes are none of png, jpg/],
  [
    'unknown bytes with a format',
    'image',
    { bytes: TEXT, path: null },
    { imageFormat: 'png' },
    /its bytes are none of/,
  ],
  ['sound of unknown bytes', 'audio', { bytes: TEXT, path: 'a.mp3' }, {}, /its bytes are none of mp3, wav/],
  ['bytes that are no Base64', 'image', { bytes: 'a heron', path: null }, {}, /its bytes are not Base64/],
  ['another mapping', 'image', { bytes: PNG, path: null, more: 1 }, {}, /text is needed/],
  ['a number', 'image', 5, {}, /it is 5/],
  ['words', 'image', 'a heron at dusk', {}, /neither an http address, nor a file, nor Base64/],
  ['Base64 of something else', 'image', TEXT, {}, /not an image of a known format/],
  [
    'a file that is not there',
    'image',
    '../../heron.png',
    {},
    /folder nor a media root \(--media-root, mediaRoots\) has a file .*heron\.png.* of at most 64 MB/,
  ],
  ['a file of another kind', 'image', './heron.bmp', {}, /does not end in png/],
  ['a file that is no picture', 'image', 'text.png', {}, /is not an image/],
  ['words said to be Base64', 'image', 'a heron', { dataType: 'base64', imageFormat: 'png' }, /not Base64/],
  [
    'another type than declared',
    'image',
    `data:image/png;base64,${PNG}`,
    { dataType: 'base64', imageFormat: 'gif' },
    /says image\/png, but image_format says image\/gif/,
  ],
  ['an unknown type', 'image', `data:image/bmp;base64,${PNG}`, {}, /of type 'image\/bmp'/],
  ['another modality', 'audio', `data:image/png;base64,${PNG}`, {}, /of type 'image\/png'/],
  ['a data address without Base64', 'image', 'data:image/png,xyz', {}, /not of the form/],
  ['an empty data address', 'image', 'data:image/png;base64,', {}, /not Base64/],
  ['sound without a format', 'audio', TEXT, {}, /needs audio_format/],
  [
    'sound at no address',
    'audio',
    'song',
    { dataType: 'url' },
    /not an http\(s\) address and does not end in mp3, wav/,
  ],
  ['a film that is not there', 'video', 'a/b.mp4', {}, /nor a media root .* has a file/],
  ['one of a list', 'image', [PNG, null], {}, /it is null/],
])('rejects %s', async (...[, kind, value, more, reason]) => {
  const failure: unknown = await show(kind, value, more).catch((thrown: unknown) => thrown);
  expect(isFailure(failure, 'column/bad-media')).toBe(true);
  expect((failure as Error).message).toMatch(reason);
});

test('parts follow the order of the contexts', async () => {
  const common = { dataType: null, imageFormat: null };
  const contexts = [
    { modality: 'image', columnName: 'b', ...common },
    { modality: 'image', columnName: 'a', ...common },
  ] as const;
  const row = { a: 'http://a.example/', b: 'http://b.example/' };
  const parts = await mediaOf(contexts)?.({ row, readMedia: () => Promise.resolve(undefined) });
  expect(parts?.map(({ url }) => url)).toEqual(['http://b.example/', 'http://a.example/']);
});
