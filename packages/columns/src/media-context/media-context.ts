import { z } from 'zod';
import type { Reference } from '@data-designer/core';
import { isGiven, readsAs } from '@data-designer/config';
import type { Modality } from './media-formats.ts';

const common = {
  columnName: z.string().describe('The column with the media: one value, or a list of values.'),
  dataType: z
    .enum(['url', 'base64'])
    .nullable()
    .default(null)
    .describe('Whether the column contains addresses (`url`) or Base64 text; null to detect it for each value.'),
} as const;

/** The declared format of Base64 text. */
const formatField = <const Formats extends readonly string[]>(formats: Formats) =>
  z.enum(formats).nullable().default(null).describe('The format of Base64 text; required with `data_type: base64`.');

/** The arguments of a `refine` that requires a format for Base64 data. */
function requiredFormat(modality: Modality) {
  const isComplete = (item: { readonly dataType: string | null; readonly [format: string]: unknown }) =>
    item.dataType !== 'base64' || item[`${modality}Format`] !== null;
  return [isComplete, { error: `base64 data needs its ${modality}_format` }] as const;
}

const image = z
  .object({
    modality: z.literal('image').describe('Send images.'),
    ...common,
    imageFormat: formatField(['png', 'jpg', 'jpeg', 'gif', 'webp']),
  })
  .refine(...requiredFormat('image'));

const audio = z
  .object({ modality: z.literal('audio').describe('Send audio.'), ...common, audioFormat: formatField(['mp3', 'wav']) })
  .refine(...requiredFormat('audio'));

const video = z
  .object({
    modality: z.literal('video').describe('Send video.'),
    ...common,
    videoFormat: formatField(['mp4', 'mov', 'webm']),
  })
  .refine(...requiredFormat('video'));

/** Without any of these keys an item is an image, as before other media existed. */
const TELLING = ['modality', 'audioFormat', 'videoFormat'] as const;

/** A column with media for the model; like NeMo Data Designer, ignores keys of other modalities. */
const mediaContext = readsAs(z.discriminatedUnion('modality', [image, audio, video]), (item) =>
  TELLING.some((key) => isGiven(item, key)) ? item : { modality: 'image', ...item },
);

/** The media of a column's prompt, in order. */
export type MediaContexts = readonly z.output<typeof mediaContext>[];

/** The field of a column that declares the media of its prompt; null for none. */
export const mediaContexts = z
  .array(mediaContext)
  .nullable()
  .default(null)
  .describe('Images, audio and video from other columns, sent to the model before the prompt.');

/** The columns that hold the media. */
export function mediaReads(contexts: MediaContexts | null): Reference[] {
  return (contexts ?? []).map(({ columnName }, index) => ({
    name: columnName,
    field: ['multiModalContext', index, 'columnName'],
  }));
}
