import { z } from 'zod';
import { expect, test } from 'vitest';
import { readForm, writeForm } from '@data-designer/config';
import { mediaContexts, mediaReads } from './media-context.ts';

const column = z.strictObject({ multiModalContext: mediaContexts });

function parse(...items: readonly unknown[]) {
  return column.safeParse(readForm(column, { multi_modal_context: items }));
}

function read(...items: readonly unknown[]) {
  return column.parse(readForm(column, { multi_modal_context: items })).multiModalContext;
}

test.each([
  ['image', 'png', { modality: 'image', columnName: 'c', dataType: null, imageFormat: 'png' }],
  ['audio', 'mp3', { modality: 'audio', columnName: 'c', dataType: null, audioFormat: 'mp3' }],
  ['video', 'mov', { modality: 'video', columnName: 'c', dataType: null, videoFormat: 'mov' }],
])('reads %s with its format and drops unknown keys', (modality, format, item) => {
  const given = { modality, column_name: 'c', [`${modality}_format`]: format, ignored_extra: 1 };
  expect(read(given)).toEqual([item]);
  expect(read({ modality, column_name: 'c' })).toEqual([{ ...item, [`${modality}Format`]: null }]);
});

test('a missing context is null, and an empty list stays empty', () => {
  expect(column.parse({})).toEqual({ multiModalContext: null });
  expect(column.parse({ multiModalContext: null })).toEqual({ multiModalContext: null });
  expect(read()).toEqual([]);
});

test('an item without a modality is an image', () => {
  const picture = { modality: 'image', columnName: 'c', dataType: 'url', imageFormat: null };
  expect(read({ column_name: 'c', data_type: 'url' })).toEqual([picture]);
  expect(read({ columnName: 'c', dataType: 'url' })).toEqual([picture]);
});

test.each([['audio_format'], ['video_format'], ['audioFormat'], ['videoFormat']])(
  'an item with %s requires a modality',
  (key) => {
    expect(parse({ column_name: 'c', [key]: null }).error?.issues).toMatchObject([
      { path: ['multiModalContext', 0, 'modality'] },
    ]);
  },
);

test.each([['smell'], [null], ['Image']])('refuses the modality %j', (modality) => {
  const { error } = parse({ column_name: 'a' }, { modality, column_name: 'c' });
  expect(error?.issues).toMatchObject([{ path: ['multiModalContext', 1, 'modality'] }]);
});

test.each(['image', 'audio', 'video'])('Base64 %s needs its format', (modality) => {
  expect(parse({ modality, column_name: 'c', data_type: 'base64' }).error?.issues).toMatchObject([
    { path: ['multiModalContext', 0], message: `base64 data needs its ${modality}_format` },
  ]);
  const format = { image: 'jpeg', audio: 'wav', video: 'webm' }[modality];
  expect(parse({ modality, column_name: 'c', data_type: 'base64', [`${modality}_format`]: format }).success).toBe(true);
});

test.each([
  [{ modality: 'image' }, 'columnName'],
  [{ modality: 'image', column_name: 'c', image_format: 'bmp' }, 'imageFormat'],
  [{ modality: 'audio', column_name: 'c', data_type: 'path' }, 'dataType'],
])('%j has a mistake in %s', (item, key) => {
  expect(parse(item).error?.issues).toMatchObject([{ path: ['multiModalContext', 0, key] }]);
});

test('reads the column of each item', () => {
  expect(mediaReads(null)).toEqual([]);
  expect(mediaReads(read({ column_name: 'a' }, { modality: 'audio', column_name: 'b' }))).toEqual([
    { name: 'a', field: ['multiModalContext', 0, 'columnName'] },
    { name: 'b', field: ['multiModalContext', 1, 'columnName'] },
  ]);
});

test('is written with snake_case keys', () => {
  const config = { multiModalContext: read({ column_name: 'a' }) };
  expect(writeForm(column, config)).toEqual({
    multi_modal_context: [{ modality: 'image', column_name: 'a', data_type: null, image_format: null }],
  });
});
