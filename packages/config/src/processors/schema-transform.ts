import { z } from 'zod';
import type { CellValue } from '@data-designer/core';
import { compileObjectTemplate, compileTypedTemplate, objectReferences } from '@data-designer/template';
import { defineProcessor, fixedProcessorFields } from '../define-processor.ts';
import { shapeFields, typedShapeFields } from './shape-fields.ts';

/** Data of a document, which holds cell values only. */
const cellValue = z.unknown() as z.ZodType<CellValue>;

/** Writes every row once more in another shape, to a side table. */
export const schemaTransform = defineProcessor({
  type: 'schema_transform',
  schema: z.strictObject({
    ...fixedProcessorFields('schema_transform', 'Writes each row a second time in another shape, as a side table.'),
    template: z
      .record(z.string(), cellValue)
      .describe('The shape of a row. Each text in it is a Jinja template that can read all columns.'),
    keepTypes: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether a template that is one reference, such as `{{ answer }}` or `{{ answer.items[0] }}`, gives the value itself instead of its text. Templates may then read side effects too.',
      ),
  }),
  stage: 'post_batch',
  sideTable: {
    fields: ({ template, keepTypes }, read) =>
      keepTypes === true ? typedShapeFields(template, read) : shapeFields(template),
    reads: ({ template }) => objectReferences(template),
    row: ({ template, keepTypes }, mode) =>
      keepTypes === true ? compileTypedTemplate(template, { mode }) : compileObjectTemplate(template, { mode }),
  },
});
