import { z } from 'zod';

const name = z.string().describe('Its name, also that of its output.');

const dropColumns = z.strictObject({
  name,
  processorType: z.literal('drop_columns').describe('Leaves columns out of the dataset.'),
  columnNames: z.array(z.string()).describe('Names of columns; one with a * stands for all that match.'),
});

const schemaTransform = z.strictObject({
  name,
  processorType: z.literal('schema_transform').describe('Writes every row once more in another shape.'),
  template: z.record(z.string(), z.unknown()).describe('The shape: text in it is a template over the columns.'),
});

/** A step between the rows and the files. */
export const processor = z.discriminatedUnion('processorType', [dropColumns, schemaTransform]);

export type Processor = z.output<typeof processor>;
