import { placeholderDraw } from './placeholder-draw.ts';
import type { NameData } from './name-data.ts';
import { patternDraw } from './pattern-draw.ts';
import { oneOfDraws, type TextDraw } from './text-draw.ts';
import { uniformChoice } from '../weighted-choice.ts';

/** The draws of a person's address. */
interface AddressDraws {
  readonly streetNumber: TextDraw;
  readonly streetName: TextDraw;
  readonly city: TextDraw;
  /** Undefined for locales without states. */
  readonly state: TextDraw | undefined;
  readonly postcode: TextDraw;
}

/** The address draws of a locale; a missing street or city pattern is replaced by the English one. */
export function addressDraws(data: NameData, english: NameData): AddressDraws {
  const from = (path: string): NameData => (data.isOwn(path) ? data : english);
  return {
    streetNumber: streetNumber(data),
    streetName: onePattern('location.street_pattern', from('location.street_pattern')),
    city: onePattern('location.city_pattern', from('location.city_pattern')),
    state: data.isOwn('location.state') ? uniformChoice(data.texts('location.state')) : undefined,
    postcode: oneOfDraws(data.texts('location.postcode').map((form) => placeholderDraw(form))),
  };
}

/** Removes the comma that some locales put before the number. */
function streetNumber(data: NameData): TextDraw {
  const forms = data.texts('location.building_number').map((form) => form.replace(/^[\s,]+/, ''));
  return oneOfDraws(forms.map((form) => placeholderDraw(form, { leadingZeros: false })));
}

function onePattern(path: string, data: NameData): TextDraw {
  return oneOfDraws(data.texts(path).flatMap((pattern) => patternDraw(pattern, data) ?? []));
}
