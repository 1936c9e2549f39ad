import { z } from 'zod';
import type { Reference } from '@data-designer/core';
import { isGiven, readsAs } from '@data-designer/config';

const common = {
  columnName: z.string().describe('The column that holds it: one value, or a list of several.'),
  dataType: z
    .enum(['url', 'base64'])
    .nullable()
    .default(null)
    .describe('Whether the column holds addresses or Base64 text; null to tell by each value.'),
} as const;

const image = z
  .object({
    modality: z.literal('image').describe('Pictures.'),
    ...common,
    imageFormat: z
      .enum(['png', 'jpg', 'jpeg', 'gif', 'webp'])
      .nullable()
      .default(null)
      .describe('The format of Base64 text.'),
  })
  .refine(({ dataType, imageFormat }) => dataType !== 'base64' || imageFormat !== null, {
    error: 'base64 data needs its image_format',
  });

const audio = z
  .object({
    modality: z.literal('audio').describe('Sound.'),
    ...common,
    audioFormat: z.enum(['mp3', 'wav']).nullable().default(null).describe('The format of Base64 text.'),
  })
  .refine(({ dataType, audioFormat }) => dataType !== 'base64' || audioFormat !== null, {
    error: 'base64 data needs its audio_format',
  });

const video = z
  .object({
    modality: z.literal('video').describe('Video.'),
    ...common,
    videoFormat: z.enum(['mp4', 'mov', 'webm']).nullable().default(null).describe('The format of Base64 text.'),
  })
  .refine(({ dataType, videoFormat }) => dataType !== 'base64' || videoFormat !== null, {
    error: 'base64 data needs its video_format',
  });

/** An item that says none of these is of the time when there were pictures only. */
const TELLING = ['modality', 'audioFormat', 'videoFormat'] as const;

/**
 * Pictures, sound or video of another column that a model is shown beside its prompt. Keys that a modality does not
 * have are left out (as in NeMo Data Designer).
 */
const mediaContext = readsAs(z.discriminatedUnion('modality', [image, audio, video]), (item) =>
  TELLING.some((key) => isGiven(item, key)) ? item : { modality: 'image', ...item },
);

/** What a column shows a model beside its prompt, in order. */
export type MediaContexts = readonly z.output<typeof mediaContext>[];

/** The field of a column that shows a model more than text; null for nothing. */
export const mediaContexts = z
  .array(mediaContext)
  .nullable()
  .default(null)
  .describe('Pictures, sound and video of other columns, shown before the prompt.');

/** The columns that hold what is shown. */
export function mediaReads(contexts: MediaContexts | null): Reference[] {
  return (contexts ?? []).map(({ columnName }, index) => ({
    name: columnName,
    field: ['multiModalContext', index, 'columnName'],
  }));
}
