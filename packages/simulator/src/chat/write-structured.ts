import type { Random } from '@data-designer/core';
import { breakValue } from './break-value.ts';
import type { ChatRequest } from './chat-request.ts';
import { drawValue } from './draw-value.ts';
import type { Prompt } from './prompt.ts';
import { asSchema, type Schema } from './resolve-schema.ts';
import type { Turn } from './turn.ts';

/** The JSON a request asks for, and whether it stands in a fence. */
export interface Structure {
  readonly schema: Schema;
  readonly fenced: boolean;
}

/** The schema of an answer that may be any object. */
const ANY_OBJECT: Schema = {
  type: 'object',
  properties: { answer: { type: 'string' }, topics: { type: 'array', items: { type: 'string' } } },
  required: ['answer', 'topics'],
};

/** What JSON a request asks for: by `response_format`, by a schema in the prompt, or by a json fence; else undefined. */
export function structureAsked(
  { response_format: format }: ChatRequest,
  { prompt, fault }: Pick<Turn, 'prompt' | 'fault'>,
): Structure | undefined {
  if (format?.type === 'json_schema' && fault !== 'ignores-schema')
    return { schema: asSchema(format.json_schema.schema), fenced: false };
  const inPrompt = prompt.schemaText === undefined ? undefined : readSchema(prompt.schemaText);
  if (format?.type === 'json_object') return { schema: inPrompt ?? ANY_OBJECT, fenced: false };
  if (inPrompt !== undefined) return { schema: inPrompt, fenced: true };
  return `${prompt.text}\n${prompt.opening}`.includes('```json') ? { schema: ANY_OBJECT, fenced: true } : undefined;
}

/** JSON that is valid for the schema asked for; broken on purpose if so ordered. */
export function writeStructured(
  { schema, fenced }: Structure,
  { prompt, random, broken }: { prompt: Prompt; random: Random; broken: boolean },
): string {
  const value = drawValue(schema, { root: schema, prompt, random, name: '', depth: 0 });
  const shown = broken ? breakValue(value, schema, random) : value;
  if (!fenced) return JSON.stringify(shown);
  return `\`\`\`json\n${JSON.stringify(shown, undefined, 2)}\n\`\`\``;
}

function readSchema(text: string): Schema {
  try {
    return asSchema(JSON.parse(text));
  } catch {
    return ANY_OBJECT;
  }
}
