import type { z } from 'zod';
import type { OptionRules } from '@data-designer/config';
import { type ExpandedRow, type ExpandOption, expand } from './expand/expand.ts';
import { type GroupedRow, type GroupOption, group } from './group/group.ts';
import type { DefinedInput, GivenInput } from './input-kind.ts';
import { type JoinOption, join } from './join/join.ts';
import { type ReviewsOption, reviews } from './reviews/reviews.ts';

/** The ways to make the input of a stage, in the order in which they apply. */
export const STAGE_INPUTS: readonly DefinedInput[] = [reviews, join, expand, group];

/** The options of a stage that say how its input is made of the rows of the stages that it reads. */
export interface InputOptions extends ReviewsOption, JoinOption, ExpandOption, GroupOption {}

/** The rows of an input whose rows are joined already. */
export type ReshapedRow<Row, Options> = GroupedRow<ExpandedRow<Row, Options>, Options>;

/** The kinds that the options of a stage ask for, in the order in which they apply. */
export function inputsIn(options: object): readonly GivenInput[] {
  return STAGE_INPUTS.flatMap((kind) => kind.of(options) ?? []);
}

/** The rules of these options for programs. */
export function inputRules(): OptionRules<InputOptions> {
  return Object.fromEntries(STAGE_INPUTS.map(({ name, rule }) => [name, rule])) as OptionRules<InputOptions>;
}

/** The schemas of these options in files. */
export function inputSchemas(): Readonly<Record<string, z.ZodOptional>> {
  return Object.fromEntries(STAGE_INPUTS.map(({ name, schema }) => [name, schema.optional()]));
}

/** The options of a stage without those that make no sense for a few rows of a preview. */
export function withoutInputsOfRuns<Options extends InputOptions>(options: Options): Options {
  const left = new Set(STAGE_INPUTS.filter(({ isForRuns }) => isForRuns).map(({ name }) => name));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !left.has(name))) as Options;
}
