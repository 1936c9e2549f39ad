import { fieldsOf } from '@data-designer/core';
import type { NameData } from './name-data.ts';
import { joinedDraws, type TextDraw } from './text-draw.ts';
import { uniformChoice } from '../weighted-choice.ts';

const PIECE = /\{\{(.+?)\}\}/;
const INTEGER = /^number\.int\((\{.*\})\)$/;

/** Lists whose name in patterns differs. */
const LISTS: Readonly<Record<string, string>> = {
  'person.firstName': 'person.first_name',
  'person.lastName': 'person.last_name',
  'person.jobArea': 'person.job_area',
  'person.jobDescriptor': 'person.job_descriptor',
  'person.jobType': 'person.job_type',
};

/** Compiles a pattern such as `{{location.city_prefix}}{{person.firstName}}`; undefined if a list is empty. */
export function patternDraw(pattern: string, data: NameData): TextDraw | undefined {
  const parts: (string | TextDraw)[] = [];
  let before = '';
  for (const [index, part] of pattern.split(PIECE).entries()) {
    const draw = index % 2 === 0 ? part : pieceDraw(part, { before, data });
    if (draw === undefined) return undefined;
    if (draw !== '') parts.push(draw);
    before = part;
  }
  return joinedDraws(parts);
}

/** The text before a piece, and the locale's data. */
interface PieceContext {
  readonly before: string;
  readonly data: NameData;
}

function pieceDraw(piece: string, { before, data }: PieceContext): TextDraw | undefined {
  const integer = INTEGER.exec(piece)?.[1];
  if (integer !== undefined) return integerDraw(integer);
  const texts = data.texts(LISTS[piece] ?? piece);
  if (texts.length === 0) return undefined;
  // Some lists include a leading space.
  return uniformChoice(before.endsWith(' ') ? texts.map((text) => text.trimStart()) : texts);
}

/** `range` is JSON with the members `min` and `max`. */
function integerDraw(range: string): TextDraw {
  const members = fieldsOf(JSON.parse(range));
  const [min, max] = [Number(members['min']), Number(members['max'])];
  return (random) => String(min + random.below(max - min + 1));
}
