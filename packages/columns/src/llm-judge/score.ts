import { z } from 'zod';
import type { CellValue, FieldPath, Finding } from '@data-designer/core';
import { runFinding } from '../run-finding.ts';

const mapping = z.record(z.string(), z.string());
const pairs = z.array(z.tuple([z.union([z.string(), z.int()]), z.string()])).min(1);

/** One score of a judge with its options and their meanings. */
export const scoreFields = z.strictObject({
  name: z.string().describe('Name of the score, unique within the column.'),
  description: z.string().describe('What the score measures, in words for the model.'),
  options: z
    .union([mapping, pairs], {
      error: ({ input }) => {
        if (input === undefined) return `this key is missing; add options: ${EXAMPLE}`;
        return Array.isArray(input) && input.some((one) => !Array.isArray(one))
          ? `each option needs its meaning; write a mapping, as in ${exampleOf(input)}`
          : undefined;
      },
    })
    .describe(
      'The possible scores and their meanings. A list of `[score, meaning]` pairs keeps integer scores and their order.',
    ),
});

/** Options with their meanings, for a score that has none. */
const EXAMPLE = "{ '1': 'poor', '2': 'good' }";

/** Options of a list with room for their meanings. */
function exampleOf(options: readonly unknown[]): string {
  const names = options.filter((one) => typeof one === 'string' || typeof one === 'number').slice(0, 2);
  return `{ ${(names.length > 0 ? names : ['good']).map((one) => `'${one}': 'what it means'`).join(', ')} }`;
}

/** A declared score. */
export type Score = z.output<typeof scoreFields>;

/** A possible score: text, or an integer if declared as one. */
export type Option = string | number;

/** The options of a score with their meanings, in order. */
export function optionsOf({ options }: Score): readonly (readonly [Option, string])[] {
  return Array.isArray(options) ? options : Object.entries(options);
}

/** The option equal to a model's unboxed score, else the only one equal apart from case and white space. */
export function matchOption(given: CellValue | undefined, options: readonly Option[]): Option | undefined {
  if (typeof given === 'string' || typeof given === 'number') {
    if (options.includes(given)) return given;
  }
  const text = comparable(given);
  if (text === undefined) return undefined;
  const [match, ...others] = options.filter((option) => comparable(option) === text);
  return others.length === 0 ? match : undefined;
}

function comparable(value: CellValue | undefined): string | undefined {
  if (typeof value === 'object' || value === undefined) return undefined;
  return String(value).trim().toLowerCase();
}

/** Finds scores that no answer can satisfy: duplicate names, no options, duplicate options. */
export function checkScores(scores: readonly Score[]): Finding[] {
  return scores.flatMap((score, index) => {
    const first = scores.findIndex(({ name }) => name === score.name);
    return [...(first < index ? [sameName(score.name, index)] : []), ...checkOptions(score, index)];
  });
}

function checkOptions(score: Score, index: number): Finding[] {
  const options = optionsOf(score).map(([option]) => option);
  const place = ['scores', index, 'options'] as const;
  if (options.length === 0) return [noOptions(score.name, place)];
  return options.flatMap((option, at) => (options.indexOf(option) < at ? [sameOption(option, [...place, at])] : []));
}

function sameName(name: string, index: number): Finding {
  return runFinding(['scores', index, 'name'], {
    type: 'duplicate_score',
    message: `two scores have the name '${name}'.`,
    remedy: 'Rename one of the scores.',
  });
}

function noOptions(name: string, place: FieldPath): Finding {
  return runFinding(place, {
    type: 'no_options',
    message: `the score '${name}' has no options.`,
    remedy: 'Add at least one option with its meaning.',
  });
}

function sameOption(option: string | number, place: FieldPath): Finding {
  return runFinding(place, {
    type: 'duplicate_option',
    message: `the option '${option}' is listed twice.`,
    remedy: 'Remove one of them.',
  });
}
