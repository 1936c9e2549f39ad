import { type CellValue, field } from '@data-designer/core';
import { columnFields, defineColumn } from '@data-designer/config';
import { z } from 'zod';
import { compileAnswer, isUsable } from '../answer/compile-answer.ts';
import { jsonInstructions } from '../answer/json-instructions.ts';
import type { JsonSchema } from '../answer/json-schema.ts';
import { readJson } from '../answer/read-json.ts';
import { askModel, llmFields, llmReads, llmSideEffects, llmSpends, type Recipe } from '../llm-column.ts';
import { arrowOfSchema } from './arrow-of-schema.ts';

/** Data written by a language model in the shape of a JSON Schema; a struct where the schema allows, else JSON text. */
export const llmStructured = defineColumn({
  type: 'llm-structured',
  schema: z.strictObject({
    ...columnFields('llm-structured'),
    ...llmFields,
    outputFormat: z.record(z.string(), z.unknown()).describe('The JSON Schema that every answer is held against.'),
  }),
  reads: llmReads,
  writes: (config) => {
    const type = isUsable(config.outputFormat) ? arrowOfSchema(config.outputFormat) : undefined;
    return [field(config.name, type ?? 'utf8', { json: type === undefined }), ...llmSideEffects(config)];
  },
  spends: llmSpends,
  cell: (config) => askModel(config, structuredRecipe(config.outputFormat)),
});

/** How data of a schema is asked for and read. */
export function structuredRecipe(outputFormat: JsonSchema): Recipe<CellValue> {
  const accept = compileAnswer(outputFormat) ?? ((value) => value);
  return { instructions: jsonInstructions(outputFormat), parse: (answer) => accept(readJson(answer)) };
}
