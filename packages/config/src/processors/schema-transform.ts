import { z } from 'zod';
import { compileObjectTemplate, objectReferences, type ObjectTemplate } from '@data-designer/template';
import { defineProcessor, processorFields } from '../define-processor.ts';
import { shapeFields } from './shape-fields.ts';

/** Writes every row once more in another shape, to a table of its own. */
export const schemaTransform = defineProcessor({
  type: 'schema_transform',
  schema: z.strictObject({
    ...processorFields('schema_transform', 'Writes every row once more in another shape.'),
    template: z.record(z.string(), z.unknown()).describe('The shape: text in it is a template over the columns.'),
  }),
  stage: 'post_batch',
  sideTable: {
    fields: ({ template }) => shapeFields(template as ObjectTemplate),
    reads: ({ template }) => objectReferences(template as ObjectTemplate),
    row: ({ template }, templates) => compileObjectTemplate(template as ObjectTemplate, { mode: templates }),
  },
});
