import { type CellValue, drawUuid, type Random } from '@data-designer/core';
import { drawBirthDate, printDate } from '../person/birth-date.ts';
import type { Sex } from '../person-params.ts';
import { addressDraws } from './address-draws.ts';
import { nameDraws } from './name-draws.ts';
import { type FakerLocale, fakerDataNames, localesWithoutState, type DataName } from './faker-locales.ts';
import { loadNameData, type NameData } from './name-data.ts';
import { type TextDraw, oneOfDraws } from './text-draw.ts';
import { uniformChoice } from '../weighted-choice.ts';
import { patternDraw } from './pattern-draw.ts';
import { drawFictionalPhone } from '../person/fictional-phone.ts';
import { placeholderDraw } from './placeholder-draw.ts';

const ADULT = 18;

const drawMaritalStatus = uniformChoice(['married_present', 'divorced', 'never_married', 'separated', 'widowed']);
const drawBachelorsField = uniformChoice(['stem', 'business', 'education', 'arts_humanities', 'stem_related']);

const COLLEGE = ['bachelors', 'graduate', 'doctorate'];
const drawEducation = uniformChoice(['secondary_education', 'some_college', 'associates', ...COLLEGE]);

/** A person whom the sampler `person_from_faker` makes up. */
export interface MadeUpPerson {
  /** A random identifier. */
  uuid: string;
  /** The locale of the sampler. */
  locale: string;
  /** The first name. */
  first_name: string;
  /** The last name. */
  last_name: string;
  /** Always null. */
  middle_name: null;
  /** As declared, else either one. */
  sex: 'Male' | 'Female';
  /** The number of the house. */
  street_number: string;
  /** The name of the street. */
  street_name: string;
  /** As declared, else a place of the locale. */
  city: string;
  /** Null in a country without states. */
  state: string | null;
  /** The postal code. */
  postcode: string;
  /** In years, on 2026-01-01. */
  age: number;
  /** As `YYYY-MM-DD`. */
  birth_date: string;
  /** The name of a country. */
  country: string;
  /** One of five, such as `never_married`. */
  marital_status: string;
  /** One of six, such as `bachelors`. */
  education_level: string;
  /** Always empty text. */
  unit: string;
  /** A job title. */
  occupation: string;
  /** Null below the age of 18. */
  phone_number: string | null;
  /** The field of a degree, such as `stem`; `no_degree` without one. */
  bachelors_field: string;
}

/** The parameters of made-up people. */
interface MadeUpParams {
  readonly locale: FakerLocale;
  readonly sex: Sex | null;
  readonly city: string | readonly string[] | null;
  readonly ageRange: readonly [number, number];
}

/** Draws people from the name and place lists of a locale. */
export function drawMadeUpPerson({
  locale,
  sex,
  city,
  ageRange,
}: MadeUpParams): (random: Random) => CellValue & MadeUpPerson {
  const draws = drawsOf(locale);
  const drawSex = sexDraw(sex);
  const drawCity = cityDraw(city) ?? draws.city;
  const [youngest, oldest] = ageRange;
  const ages = oldest - youngest + 1;
  const drawState = localesWithoutState.has(locale) ? undefined : draws.state;
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
  const name = fakerDataNames[locale];
  const data = loadNameData(name);
  const english = loadNameData('en_US');
  return {
    ...addressDraws(data, english),
    names: nameDraws(data),
    country: uniformChoice(data.texts('location.country')),
    occupation: occupationDraw(data, english),
    phone: phoneDraw(name, data),
  };
}

function sexDraw(sex: Sex | null): (random: Random) => Sex {
  return sex === null ? (random) => (random.below(2) === 0 ? 'Male' : 'Female') : () => sex;
}

function cityDraw(city: MadeUpParams['city']): TextDraw | undefined {
  if (city === null) return undefined;
  return typeof city === 'string' ? () => city : uniformChoice(city);
}

const PARTS = ['person.job_descriptor', 'person.job_area', 'person.job_type'];

/** Draws job titles: the locale's title patterns, else its job types, else English titles. */
export function occupationDraw(data: NameData, english: NameData): TextDraw {
  const onlyType = data.isOwn('person.job_type') && !PARTS.every((part) => data.isOwn(part));
  if (onlyType) return uniformChoice(data.texts('person.job_type'));
  const source = data.isOwn('person.job_type') ? data : english;
  const patterns = source.texts('person.job_title_pattern');
  return oneOfDraws(patterns.flatMap((pattern) => patternDraw(pattern, source) ?? []));
}

/** Locales with North American phone numbers; only the fictional ones belong to nobody. */
const NORTH_AMERICAN: readonly DataName[] = ['en_US', 'en_CA', 'fr_CA'];

/** Draws phone numbers in national format; a fictional American one for locales without a format. */
export function phoneDraw(name: DataName, data: NameData): TextDraw {
  const path = 'phone_number.format.national';
  if (NORTH_AMERICAN.includes(name) || !data.isOwn(path)) return drawFictionalPhone;
  return oneOfDraws(data.texts(path).map((form) => placeholderDraw(form)));
}
