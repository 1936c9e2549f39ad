import type { NameData } from './name-data.ts';
import { patternDraw } from './pattern-draw.ts';
import { oneText, oneWay, type TextDraw } from './text-draw.ts';

const PARTS = ['person.job_descriptor', 'person.job_area', 'person.job_type'];

/** Draws what people do: a title of the locale's own words, a single one where it has no more, else in English. */
export function occupationDraw(data: NameData, english: NameData): TextDraw {
  const onlyType = data.isOwn('person.job_type') && !PARTS.every((part) => data.isOwn(part));
  if (onlyType) return oneText(data.texts('person.job_type'));
  const source = data.isOwn('person.job_type') ? data : english;
  const patterns = source.texts('person.job_title_pattern');
  return oneWay(patterns.flatMap((pattern) => patternDraw(pattern, source) ?? []));
}
