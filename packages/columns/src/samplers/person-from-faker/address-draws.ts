import { placeholderDraw } from './placeholder-draw.ts';
import type { NameData } from './name-data.ts';
import { patternDraw } from './pattern-draw.ts';
import { oneOfDraws, type TextDraw } from './text-draw.ts';
import { uniformChoice } from '../weighted-choice.ts';

/** The draws of where a person lives. */
interface AddressDraws {
  readonly streetNumber: TextDraw;
  readonly streetName: TextDraw;
  readonly city: TextDraw;
  /** Undefined where there are no states. */
  readonly state: TextDraw | undefined;
  readonly postcode: TextDraw;
}

/** Where people of a locale live; whole patterns are English where it has none. */
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

/** A number is written by itself here, without the comma that some languages set before it. */
function streetNumber(data: NameData): TextDraw {
  const forms = data.texts('location.building_number').map((form) => form.replace(/^[\s,]+/, ''));
  return oneOfDraws(forms.map((form) => placeholderDraw(form, { leadingZeros: false })));
}

function onePattern(path: string, data: NameData): TextDraw {
  return oneOfDraws(data.texts(path).flatMap((pattern) => patternDraw(pattern, data) ?? []));
}
