import { type ArrowType, type CellValue, field } from '@data-designer/core';
import { type JsonSchema, plainNumbers } from '@data-designer/json-schema';
import { type AcceptAnswer, compileAnswer } from '../answer/compile-answer.ts';
import { jsonInstructions } from '../answer/json-instructions.ts';
import { readJson } from '../answer/read-json.ts';
import { isMembers } from '../cell-members.ts';
import type { Recipe } from '../llm-column.ts';
import { matchOption, type Option, optionsOf, type Score } from './score.ts';

/** How scores are asked for and read; the cell holds `{ [score name]: { reasoning, score } }` in the order declared. */
export function judgeRecipe(scores: readonly Score[]): Recipe<CellValue> {
  const schema = judgeSchema(scores);
  let accept: AcceptAnswer | undefined;
  const options = new Map(scores.map((score) => [score.name, optionsOf(score).map(([option]) => option)]));
  return {
    instructions: jsonInstructions(schema),
    shape: schema,
    // All members of a score are required, so the answer needs no repair.
    parse: (answer, _mend, note) => {
      // What it needs is loaded while the first answers are under way.
      accept ??= compileAnswer(schema);
      const chosen = withOptions(readJson(answer, note), options);
      return inOrder(scores, accept ? accept(chosen) : chosen);
    },
  };
}

/** The schema of a judge's answer; reasoning comes before the score, so that the model thinks first. */
export function judgeSchema(scores: readonly Score[]): JsonSchema {
  return {
    title: 'JudgeStructuredOutput',
    type: 'object',
    properties: Object.fromEntries(scores.map((score) => [score.name, scoreSchema(score)])),
    required: scores.map(({ name }) => name),
  };
}

function scoreSchema(score: Score): JsonSchema {
  const options = optionsOf(score);
  const lines = options.map(([option, meaning]) => `* ${option}: ${meaning}`);
  return {
    title: score.name,
    description: score.description,
    type: 'object',
    properties: {
      reasoning: { type: 'string', description: 'Why this score is given.' },
      score: {
        enum: options.map(([option]) => option),
        description: [`Score Descriptions for ${score.name}Enum:`, ...lines].join('\n'),
      },
    },
    required: ['reasoning', 'score'],
  };
}

/** The Arrow type of a judge's cells: a struct per score. */
export function judgeArrow(scores: readonly Score[]): ArrowType {
  return { struct: scores.map((score) => field(score.name, scoreArrow(score))) };
}

function scoreArrow(score: Score): ArrowType {
  const isInteger = optionsOf(score).every(([option]) => typeof option === 'number');
  return { struct: [field('reasoning', 'utf8'), field('score', isInteger ? 'int64' : 'utf8')] };
}

/** An answer with each score as the option that is meant by it; what is none of them stays, for the schema to refuse. */
function withOptions(answer: CellValue, options: ReadonlyMap<string, readonly Option[]>): CellValue {
  if (!isMembers(answer)) return answer;
  const scores = Object.entries(answer).map(([name, scored]) => {
    if (!isMembers(scored)) return [name, scored] as const;
    const { score } = scored;
    const option = score === undefined ? undefined : matchOption(plainNumbers(score), options.get(name) ?? []);
    return [name, option === undefined ? scored : { ...scored, score: option }] as const;
  });
  return Object.fromEntries(scores);
}

function inOrder(scores: readonly Score[], answer: CellValue): CellValue {
  const judged = isMembers(answer) ? answer : {};
  return Object.fromEntries(
    scores.map(({ name }) => {
      const verdict = judged[name];
      const { reasoning = null, score = null } = isMembers(verdict) ? verdict : {};
      return [name, { reasoning, score }];
    }),
  );
}
