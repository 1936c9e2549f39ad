import { field } from '@data-designer/core';
import { columnFields, defineColumn } from '@data-designer/config';
import { z } from 'zod';
import { promptTemplate } from '../llm-column.ts';
import { mediaContexts, mediaReads } from '../media-context/media-context.ts';

/** Pictures that a model makes; the cell lists them, as Base64 text or as paths within the dataset's folder. */
export const image = defineColumn({
  type: 'image',
  schema: z.strictObject({
    ...columnFields('image'),
    prompt: z.string().describe('What the picture shall show: a Jinja template over the other columns.'),
    modelAlias: z.string().describe('Alias of the model that makes it.'),
    multiModalContext: mediaContexts,
  }),
  templates: (config) => [promptTemplate(config)],
  reads: ({ multiModalContext }) => mediaReads(multiModalContext),
  writes: ({ name }) => [field(name, { list: 'utf8' })],
  spends: ({ modelAlias }) => ({ models: [modelAlias], tools: [], generationTypes: ['image', 'chat-completion'] }),
  unmade: true,
});
