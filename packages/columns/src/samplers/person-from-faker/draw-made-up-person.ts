import { type CellValue, drawUuid, type Random } from '@data-designer/core';
import { drawBirthDate, printDate } from '../person/birth-date.ts';
import type { Sex } from '../people.ts';
import { homeDraws } from './draw-home.ts';
import { nameDraws } from './draw-names.ts';
import { occupationDraw } from './draw-occupation.ts';
import { phoneDraw } from './draw-phone.ts';
import type { FakerLocale } from './faker-locales.ts';
import { loadNameData } from './name-data.ts';
import { nearestData, stateless } from './nearest-data.ts';
import { oneText, type TextDraw } from './text-draw.ts';

const ADULT = 18;

const drawMaritalStatus = oneText(['married_present', 'divorced', 'never_married', 'separated', 'widowed']);
const drawBachelorsField = oneText(['stem', 'business', 'education', 'arts_humanities', 'stem_related']);

const COLLEGE = ['bachelors', 'graduate', 'doctorate'];
const drawEducation = oneText(['secondary_education', 'some_college', 'associates', ...COLLEGE]);

/** Who is made up. */
interface MadeUpParams {
  readonly locale: FakerLocale;
  readonly sex: Sex | null;
  readonly city: string | readonly string[] | null;
  readonly ageRange: readonly [number, number];
}

/** Makes the draw of people who are made up from the lists of a locale. */
export function drawMadeUpPerson({ locale, sex, city, ageRange }: MadeUpParams): (random: Random) => CellValue {
  const draws = drawsOf(locale);
  const drawSex = sexDraw(sex);
  const drawCity = cityDraw(city) ?? draws.city;
  const [youngest, oldest] = ageRange;
  const ages = oldest - youngest + 1;
  const drawState = stateless.has(locale) ? undefined : draws.state;
  return (random) => {
    const uuid = drawUuid(random);
    const ofSex = drawSex(random);
    const { first, last } = draws.names[ofSex];
    const age = youngest + random.below(ages);
    const education = drawEducation(random);
    return {
      uuid,
      locale,
      first_name: first(random),
      last_name: last(random),
      middle_name: null,
      sex: ofSex,
      street_number: draws.streetNumber(random),
      street_name: draws.streetName(random),
      city: drawCity(random),
      state: drawState ? drawState(random) : null,
      postcode: draws.postcode(random),
      age,
      birth_date: printDate(drawBirthDate(age, random)),
      country: draws.country(random),
      marital_status: drawMaritalStatus(random),
      education_level: education,
      unit: '',
      occupation: draws.occupation(random),
      phone_number: age >= ADULT ? draws.phone(random) : null,
      bachelors_field: COLLEGE.includes(education) ? drawBachelorsField(random) : 'no_degree',
    };
  };
}

function drawsOf(locale: FakerLocale) {
  const name = nearestData[locale];
  const data = loadNameData(name);
  const english = loadNameData('en_US');
  return {
    ...homeDraws(data, english),
    names: nameDraws(data),
    country: oneText(data.texts('location.country')),
    occupation: occupationDraw(data, english),
    phone: phoneDraw(name, data),
  };
}

function sexDraw(sex: Sex | null): (random: Random) => Sex {
  return sex === null ? (random) => (random.below(2) === 0 ? 'Male' : 'Female') : () => sex;
}

function cityDraw(city: MadeUpParams['city']): TextDraw | undefined {
  if (city === null) return undefined;
  return typeof city === 'string' ? () => city : oneText(city);
}
