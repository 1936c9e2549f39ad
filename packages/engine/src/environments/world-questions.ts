import {
  attemptOfCall,
  type Call,
  type CallContext,
  DataDesignerError,
  type Fields,
  fieldsOf,
  MOST_WORLD_CALLS,
  parseJson,
  type Plan,
  type Random,
  stringifyJson,
  worldCall,
} from '@data-designer/core';
import { structuredRecipe } from '@data-designer/columns';
import type { EnvironmentCall, WorldQuestion } from '@data-designer/environments';
import type { ModelRegistry } from '@data-designer/models';

/** Corrections of one question; with the repetition of a request whose schema is refused they need half of the numbers. */
const BUDGETS = { maxCorrectionSteps: 2, maxConversationRestarts: 0 };

/** A longer answer is not corrected: the conversation would hold it. */
const MOST_ANSWER_CHARACTERS = 2 * 2 ** 20;

/** Compiled schemas that are kept; rows may bring schemas of their own. */
const MOST_RECIPES = 256;

/** Seeds of attempts are drawn in a lane that no call has. */
const SEED_LANE = 2 ** 32 - 1;
const MOST_SEEDS = 2 ** 31;

type StructuredRecipe = ReturnType<typeof structuredRecipe>;

/** Asks models for the worlds of a row group. */
export class WorldQuestions {
  readonly #parts: { readonly models: ModelRegistry; readonly signal: AbortSignal };
  /** The columns of blocks of attempts. */
  readonly #inAttempts: ReadonlySet<string>;
  readonly #recipes = new Map<string, StructuredRecipe>();

  constructor({ attempts = [] }: Pick<Plan, 'attempts'>, parts: { models: ModelRegistry; signal: AbortSignal }) {
    this.#parts = parts;
    this.#inAttempts = new Set(attempts.flatMap(({ columns }) => columns));
  }

  /** Asks during a tool call, with the call numbers that are reserved for it. */
  during(toolCall: Call, world: { readonly name: string; readonly random: Random }): EnvironmentCall['ask'] {
    const context = this.#contextOf(toolCall, world);
    return async (question) => {
      try {
        const model = this.#parts.models.facade(question.modelAlias).within(BUDGETS);
        return (await model.generate(this.#questionOf(question), context)).value;
      } catch (thrown) {
        // The conversation of a failure would be shown in place of the column's.
        throw DataDesignerError.fromWire(DataDesignerError.fromUnknown(thrown).toWire());
      }
    };
  }

  #contextOf(
    { row, column, call, body }: Call,
    { name, random }: Parameters<WorldQuestions['during']>[1],
  ): CallContext {
    let requests = 0;
    const nextCall = () => {
      const number = worldCall(call, requests++);
      if (number !== undefined) return number;
      const tool = String(fieldsOf(parseJson(body)).name);
      const failure = { environment: name, tool, call, most: MOST_WORLD_CALLS };
      throw new DataDesignerError('environment/too-many-requests', failure);
    };
    const randomOf = (number: number) => random.copy().at(row, 0, number + 1);
    const seedOf = () => random.copy().at(row, attemptOfCall(call), SEED_LANE).below(MOST_SEEDS);
    const { signal } = this.#parts;
    return { row, column, signal, nextCall, randomOf, ...(this.#inAttempts.has(column) && { seed: seedOf() }) };
  }

  #questionOf({ modelAlias, systemPrompt, prompt, schema }: WorldQuestion) {
    const { instructions, shape, parse } = this.#recipeOf(schema);
    const parseShort: StructuredRecipe['parse'] = (text, ...more) => {
      if (text.length <= MOST_ANSWER_CHARACTERS) return parse(text, ...more);
      const reason = `the answer has ${text.length} characters, more than ${MOST_ANSWER_CHARACTERS}`;
      throw new DataDesignerError('model/gave-up', { model: modelAlias, reason, corrections: 0, restarts: 0 });
    };
    return {
      modelAlias,
      systemPrompt: () => systemPrompt,
      prompt: () => `${prompt}\n\n${instructions}`,
      shape,
      parse: parseShort,
    };
  }

  #recipeOf(schema: Fields): StructuredRecipe {
    const key = stringifyJson(schema);
    const known = this.#recipes.get(key);
    if (known) return known;
    if (this.#recipes.size >= MOST_RECIPES) this.#recipes.clear();
    const recipe = structuredRecipe(schema);
    this.#recipes.set(key, recipe);
    return recipe;
  }
}
