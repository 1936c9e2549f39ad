import { type Finding, type Question, fieldsOf, isBlank, ParseFailure } from '@data-designer/core';
import type { JsonSchema } from '@data-designer/json-schema';
import { isUsable } from '../answer/compile-answer.ts';
import { structuredRecipe } from '../llm-structured/llm-structured.ts';
import { textRecipe } from '../llm-text/llm-text.ts';
import { runFinding } from '../run-finding.ts';

/** The stop rule of a user: a phrase, a JSON Schema of answers with `done` and `message`, or none. */
export type Stop = string | JsonSchema | null;

/** What a user has said. */
export interface UserTurn {
  /** The message without the stop phrase; empty if there is none. */
  readonly message: string;
  /** Whether the user ends the conversation. */
  readonly isDone: boolean;
}

/** How the turns of a user are asked for and read. */
export interface UserRecipe {
  /** Instructions after the system prompt. */
  readonly instructions?: string;
  readonly shape?: JsonSchema;
  readonly parse: (...given: Parameters<Question<UserTurn>['parse']>) => UserTurn;
}

/** What is left of a message around a stop phrase, such as `**`. */
const NO_WORDS = /^[\s\p{P}\p{S}]*$/u;

/** Compiles a stop rule. */
export function userRecipe(stop: Stop): UserRecipe {
  if (typeof stop === 'object' && stop !== null) return structuredUser(stop);
  const phrase = stop === null ? undefined : emphasised(stop);
  return {
    parse: (...given) => {
      const text = textRecipe.parse(...given);
      if (stop === null || phrase === undefined || !text.includes(stop)) return turnOf(text, false);
      const message = text.replaceAll(phrase, '').trim();
      return turnOf(NO_WORDS.test(message) ? '' : message, true);
    },
  };
}

/** A phrase with the marks of Markdown around it, such as `**[DONE]**`. */
function emphasised(phrase: string): RegExp {
  return new RegExp(`([*_~\`]{0,3})${phrase.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}\\1`, 'g');
}

/** A message without a word is none. */
function turnOf(text: string, isDone: boolean): UserTurn {
  return { message: isBlank(text) ? '' : text, isDone };
}

function structuredUser(schema: JsonSchema): UserRecipe {
  const { parse, ...recipe } = structuredRecipe(schema);
  return {
    ...recipe,
    parse: (...given) => {
      const { done, message } = fieldsOf(parse(...given));
      if (typeof done !== 'boolean') throw new ParseFailure("'done' must be true or false.");
      if (typeof message !== 'string' && !(done && (message === null || message === undefined))) {
        throw new ParseFailure("'message' must be text.");
      }
      return turnOf((message ?? '').trim(), done);
    },
  };
}

/** Finds a schema that does not ask for `done` and `message`. */
export function checkStop(stop: Stop): Finding[] {
  if (typeof stop !== 'object' || stop === null) return [];
  const { properties } = stop;
  const isWhole = ['done', 'message'].every((name) => Object.hasOwn(fieldsOf(properties), name));
  if (isUsable(stop) && isWhole) return [];
  return [
    runFinding(['user', 'stop'], {
      message: "the schema must describe an object with 'done' (true or false) and 'message' (text).",
      remedy: 'Add these properties, or name a phrase.',
    }),
  ];
}
