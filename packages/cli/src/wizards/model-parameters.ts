import type { ModelConfig } from '@data-designer/config';
import { isFields, tryParse } from '@data-designer/core';

export type GenerationType = ModelConfig['inferenceParameters']['generationType'];

/** An inference parameter that the wizard asks for as a text. */
export interface ModelParameter {
  /** The name in configs, in camelCase. */
  readonly name: string;
  readonly message: string;
  /** The generation types that have it. */
  readonly types: readonly GenerationType[];
  readonly check: (text: string) => true | string;
  readonly valueOf: (text: string) => unknown;
  /** A current value as text; empty if it is not set. */
  readonly textOf: (value: unknown) => string;
}

const ALL = ['chat-completion', 'embedding', 'image'] as const;
const CHAT = ['chat-completion'] as const;
const EMBEDDING = ['embedding'] as const;

/** The parameters in the order of the questions. */
export const MODEL_PARAMETERS: readonly ModelParameter[] = [
  drawn('temperature', 'Temperature, from 0 to 2', 2),
  drawn('topP', 'Top-p, from 0 to 1', 1),
  count('maxTokens', 'Maximum tokens of an answer', CHAT),
  count('dimensions', 'Length of the vectors', EMBEDDING),
  {
    name: 'encodingFormat',
    message: 'Encoding of vectors, float or base64',
    types: EMBEDDING,
    check: (text) => text === 'float' || text === 'base64' || 'Enter float or base64.',
    valueOf: (text) => text,
    textOf: (value) => (typeof value === 'string' ? value : ''),
  },
  count('maxParallelRequests', 'Maximum parallel requests', ALL),
  count('timeout', 'Time limit of one attempt in seconds', ALL),
  {
    name: 'extraBody',
    message: 'Further fields of the request body, as a JSON object',
    types: ALL,
    check: (text) => isFields(jsonOf(text)) || 'Enter a JSON object, such as {"top_k": 20}.',
    valueOf: jsonOf,
    textOf: (value) => (isFields(value) ? JSON.stringify(value) : ''),
  },
];

/** A number that may be drawn from a distribution, which is shown and entered as JSON. */
function drawn(name: string, message: string, highest: number): ModelParameter {
  return {
    name,
    message,
    types: CHAT,
    check: (text) => {
      const value = jsonOf(text);
      const isNumber = typeof value === 'number' && value >= 0 && value <= highest;
      return isNumber || isFields(value) || `Enter a number from 0 to ${highest}, or a distribution as a JSON object.`;
    },
    valueOf: jsonOf,
    textOf: (value) => (value === null || value === undefined ? '' : JSON.stringify(value)),
  };
}

/** The JSON value of a text; undefined if it is none. */
function jsonOf(text: string): unknown {
  return tryParse(text, JSON.parse);
}

function count(name: string, message: string, types: readonly GenerationType[]): ModelParameter {
  return {
    name,
    message,
    types,
    check: (text) => /^[1-9]\d{0,8}$/.test(text) || 'Enter a whole number, 1 or more.',
    valueOf: Number,
    textOf: (value) => (typeof value === 'number' ? String(value) : ''),
  };
}
