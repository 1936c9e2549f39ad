import { z } from 'zod';
import { type CellValue, field, type Finding, type TypeFunction, valueType } from '@data-designer/core';
import { columnFields, defineColumn, loadRemedies, type RowWith, type StructuredValue } from '@data-designer/config';
import {
  type JsonSchema,
  schemaMistake,
  STORAGE_MARK,
  storageMistakes,
  withoutStorageMarks,
} from '@data-designer/json-schema';
import { compileAnswer, isUsable } from '../answer/compile-answer.ts';
import { jsonInstructions } from '../answer/json-instructions.ts';
import { readJson } from '../answer/read-json.ts';
import {
  askModel,
  llmCheck,
  llmFields,
  llmMembers,
  llmShapedRequires,
  llmSideEffects,
  llmRequires,
  type Recipe,
} from '../llm-column.ts';
import { fieldOfSchema } from './arrow-of-schema.ts';
import { loadContradictions } from './load-contradictions.ts';
import { rowRecipes } from './row-recipes.ts';
import { runFinding } from '../run-finding.ts';

/** An answer in the type of the declared format. */
export interface FormattedValue extends TypeFunction {
  readonly type: this['config'] extends { readonly outputFormat: infer Format } ? StructuredValue<Format> : never;
}

/** Data written by a language model in the shape of a JSON Schema; a struct where the schema allows, else JSON text. */
export const llmStructured = defineColumn({
  type: 'llm-structured',
  schema: z
    .strictObject({
      ...columnFields('llm-structured'),
      ...llmFields,
      outputFormat: z
        .union([z.record(z.string(), z.unknown()), z.string()])
        .describe(
          'The JSON Schema that every answer must match, or a template that gives one for each row, as in `{{ schema }}`.',
        ),
    })
    .describe('Asks a language model for an answer that matches a JSON Schema, and stores it as data.'),
  row: valueType<RowWith<FormattedValue>>(),
  example: {
    name: 'quiz',
    column_type: 'llm-structured',
    model_alias: 'writer',
    prompt: 'A quiz about {{ topic }}, number {{ number }}',
    output_format: {
      type: 'object',
      properties: { question: { type: 'string' }, points: { type: 'integer', minimum: 1, maximum: 9 } },
      required: ['question', 'points'],
    },
  },
  ...llmMembers,
  templates: (config) => {
    const { outputFormat: source } = config;
    const own = llmMembers.templates(config);
    if (typeof source !== 'string') return own;
    // The schema is part of the prompt, which then differs between rows.
    const asked = own.map((one) => (one.role === 'prompt' ? { ...one, mayBeSame: true } : one));
    return [...asked, { source, field: ['outputFormat'], role: 'value' }];
  },
  writes: ({ outputFormat, ...config }) => {
    const isKnown = typeof outputFormat !== 'string' && isUsable(outputFormat);
    const own = isKnown ? fieldOfSchema(config.name, outputFormat) : field(config.name, 'utf8', { json: true });
    return [own, ...llmSideEffects(config)];
  },
  requires: (config) => {
    const { outputFormat: format } = config;
    return typeof format === 'string' || isUsable(format) ? llmShapedRequires(config) : llmRequires(config);
  },
  check: (config, dataset) => [...llmCheck(config, dataset), ...checkFormat(config.outputFormat)],
  cell: (config, setting) => {
    const { name, outputFormat: format } = config;
    const recipe = typeof format === 'string' ? rowRecipes(format, name, setting.templates) : structuredRecipe(format);
    return askModel(config, recipe, setting);
  },
});

/** A schema, or a template that gives one for each row. */
type OutputFormat = JsonSchema | string;

/** A schema without all of these may be a mapping of names to types. */
const SCHEMA_KEYS = ['type', 'properties', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'] as const;

/** A schema that validates nothing is not an error, but its author expects it to: a warning. */
function checkFormat(outputFormat: OutputFormat): Finding[] {
  if (typeof outputFormat === 'string') return outputFormat.includes('{') ? [] : [notATemplate(outputFormat)];
  const wrong = storageMistakes(outputFormat).map((path) =>
    runFinding(['outputFormat', ...path], {
      message: `'${STORAGE_MARK}' has a value other than 'json'.`,
      remedy: "Write 'json', or remove the key.",
    }),
  );
  if (isUsable(outputFormat)) {
    const isShorthand = !SCHEMA_KEYS.some((key) => Object.hasOwn(outputFormat, key));
    return isShorthand
      ? [...wrong, ...loadRemedies().shorthandMistake(outputFormat)]
      : [...wrong, ...misfits(outputFormat)];
  }
  const mistake = schemaMistake(outputFormat, outputFormat['$schema']);
  const why = mistake === undefined ? '' : `: ${mistake}`;
  return [
    ...wrong,
    runFinding(['outputFormat'], {
      type: 'unusable_schema',
      level: 'WARNING',
      message: `this is not a valid JSON Schema${why}, so answers cannot be validated.`,
      remedy: 'Correct the schema; until then, they are stored as JSON text.',
    }),
  ];
}

/** Keywords that contradict each other: an error where no answer can match, which every cell would pay for. */
function misfits(outputFormat: JsonSchema): Finding[] {
  return loadContradictions()
    .contradictions(outputFormat)
    .map(({ path, message, remedy, isFatal }) => {
      const what = isFatal ? 'no answer can match the schema' : 'no value can match this part of the schema';
      const found = { type: 'unmatchable_schema', message: `${what}: ${message}.`, remedy };
      return runFinding(['outputFormat', ...path], { ...found, level: isFatal ? 'ERROR' : 'WARNING' });
    });
}

function notATemplate(text: string): Finding {
  const message = `'${text}' is neither a JSON Schema nor a template of one.`;
  const remedy =
    "Write the schema as a mapping, such as { type: object, properties: … }, or as a template such as '{{ schema }}'.";
  return { ...runFinding(['outputFormat'], { message, remedy }), stage: 'load' };
}

/** How data of a schema is asked for and read; an endpoint is held to a schema only where answers are. */
export function structuredRecipe(declared: JsonSchema): Recipe<CellValue> {
  const outputFormat = withoutStorageMarks(declared);
  const instructions = jsonInstructions(outputFormat);
  const accept = compileAnswer(outputFormat);
  if (!accept) return { instructions, parse: (answer, _mend, note) => readJson(answer, note) };
  return {
    instructions,
    shape: outputFormat,
    parse: (answer, mend, note) => {
      const data = readJson(answer, note);
      return accept(mend ? mend(data) : data);
    },
  };
}
