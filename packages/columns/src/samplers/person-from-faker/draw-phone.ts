import { drawFictionalPhone } from '../person/fictional-phone.ts';
import { formDraw } from './form-draw.ts';
import type { NameData } from './name-data.ts';
import type { DataName } from './nearest-data.ts';
import { oneWay, type TextDraw } from './text-draw.ts';

/** Where numbers are North American, and any but a fictional one may be somebody's. */
const NORTH_AMERICAN: readonly DataName[] = ['en_US', 'en_CA', 'fr_CA'];

/** Draws phone numbers as they are written within a country; a locale that has no form gets a fictional American one. */
export function phoneDraw(name: DataName, data: NameData): TextDraw {
  const path = 'phone_number.format.national';
  if (NORTH_AMERICAN.includes(name) || !data.isOwn(path)) return drawFictionalPhone;
  return oneWay(data.texts(path).map((form) => formDraw(form)));
}
