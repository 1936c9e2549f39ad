import { ParseFailure, splitThinking, startsThinking } from '@data-designer/core';
import type { Recipe } from '../llm-column.ts';

/** Text is taken as it is, empty too, without the thinking before it; thinking alone that does not end is no text. */
export const textRecipe: Recipe<string> = {
  parse: (text) => {
    const { answer } = splitThinking(text);
    if (answer === text && startsThinking(text)) {
      throw new ParseFailure('The answer is cut off within its <think> block. Think less, and answer behind </think>.');
    }
    return answer.trim();
  },
};
