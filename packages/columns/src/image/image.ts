import { z } from 'zod';
import { type Cell, field, valueType } from '@data-designer/core';
import { columnFields, defineColumn, type RowWith } from '@data-designer/config';
import { compileTemplate, parseTemplate } from '@data-designer/template';
import { emptyRender, promptTemplate } from '../llm-column.ts';
import { mediaContexts, mediaReads } from '../media-context/media-context.ts';
import { mediaOf } from '../media-context/media-parts.ts';

/** Images that a model makes; the cell lists them as Base64 text or as paths within the dataset's folder. */
export const image = defineColumn({
  type: 'image',
  schema: z
    .strictObject({
      ...columnFields('image'),
      prompt: z.string().describe('The description of the image: a Jinja template that can read all other columns.'),
      modelAlias: z.string().describe('Alias of the image model, from `model_configs`.'),
      multiModalContext: mediaContexts,
    })
    .describe(
      'Generates images with an image model. The cell is a list of file paths in the dataset folder; in a preview it is a list of Base64 texts.',
    ),
  row: valueType<RowWith<string[]>>(),
  example: { name: 'picture', column_type: 'image', model_alias: 'painter', prompt: 'A picture of {{ topic }}' },
  templates: (config) => [promptTemplate(config)],
  reads: ({ multiModalContext }) => mediaReads(multiModalContext),
  writes: ({ name }) => [field(name, { list: 'utf8' })],
  requires: ({ modelAlias }) => ({ models: [modelAlias], tools: [], generationTypes: ['image', 'chat-completion'] }),
  shownAs: () => ({ as: 'pictures' }),
  cell: ({ prompt, modelAlias, multiModalContext }, { templates }) => {
    const render = compileTemplate(prompt, { mode: templates });
    const { references } = parseTemplate(prompt);
    const media = mediaOf(multiModalContext);
    return async (cell: Cell) => {
      const pictures = await cell.generateImage({
        modelAlias,
        prompt: () => {
          const text = render(cell.row, () => cell.random.float());
          if (text.trim() === '') throw emptyRender(prompt, references, cell.row);
          return text;
        },
        media: media && (() => media(cell)),
      });
      const kept: string[] = [];
      for (const picture of pictures) kept.push(await cell.keepPicture(picture));
      return [kept];
    };
  },
});
