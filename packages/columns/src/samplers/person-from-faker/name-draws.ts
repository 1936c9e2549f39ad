import { fieldsOf, itemsOf } from '@data-designer/core';
import { uniformChoice, weightedChoice } from '../weighted-choice.ts';
import type { Sex } from '../person-params.ts';
import type { NameData } from './name-data.ts';
import { patternDraw } from './pattern-draw.ts';
import type { TextDraw } from './text-draw.ts';

/** The draws of a person's names. */
interface NameDraws {
  readonly first: TextDraw;
  readonly last: TextDraw;
}

/** The name draws by sex; equal for locales that do not distinguish them. */
export function nameDraws(data: NameData): Readonly<Record<Sex, NameDraws>> {
  return { Female: namesOf(data, 'female'), Male: namesOf(data, 'male') };
}

function namesOf(data: NameData, sex: 'female' | 'male'): NameDraws {
  return { first: uniformChoice(namesBySex(data, 'person.first_name', sex)), last: lastName(data, sex) };
}

function namesBySex(data: NameData, path: string, sex: 'female' | 'male'): readonly string[] {
  const ofSex = data.texts(`${path}.${sex}`);
  return ofSex.length > 0 ? ofSex : data.texts(path);
}

/** Double last names follow the locale's own patterns, never the English ones. */
function lastName(data: NameData, sex: 'female' | 'male'): TextDraw {
  const path = 'person.last_name_pattern';
  const patterns = itemsOf(data.at(`${path}.${sex}`) ?? data.at(`${path}.generic`));
  const draws = patterns.map(fieldsOf).flatMap(({ value, weight }) => {
    const draw = patternDraw(String(value), data);
    return draw ? [{ draw, weight: Number(weight) }] : [];
  });
  if (draws.length === 0 || !data.isOwn(path)) return uniformChoice(namesBySex(data, 'person.last_name', sex));
  const choose = weightedChoice(
    draws.map(({ draw }) => draw),
    draws.map(({ weight }) => weight),
  );
  return (random) => choose(random)(random);
}
