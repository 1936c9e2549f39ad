import type { DrawnParameter, PlannedModel, Random } from '@data-designer/core';

/** The parameters of one request: those that stand, and those that are drawn anew, in the order of their names. */
export function parametersOf(
  { parameters, drawn }: Pick<PlannedModel, 'parameters' | 'drawn'>,
  openRandom: () => Random,
): Readonly<Record<string, unknown>> {
  const sorted = Object.entries(drawn).toSorted(([one], [other]) => (one < other ? -1 : 1));
  if (sorted.length === 0) return parameters;
  const random = openRandom();
  const values = sorted.map(([name, parameter]) => [name, draw(parameter, random)] as const);
  return { ...Object.fromEntries(values), ...parameters };
}

function draw(parameter: DrawnParameter, random: Random): number {
  const point = random.float();
  if ('low' in parameter) return parameter.low + point * (parameter.high - parameter.low);
  const index = parameter.bounds.findIndex((bound) => point < bound);
  return parameter.values.at(index) ?? NaN;
}
