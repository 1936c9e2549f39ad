import { type CellValue, type ColumnData, type Random, Float } from '@data-designer/core';
import { drawBirthDate, printDate } from './birth-date.ts';
import { drawEmailAddress } from './email-address.ts';
import { drawFictionalPhone } from './fictional-phone.ts';
import { drawNationalId } from './national-id.ts';
import { personaFields, personalFields, SEX_WORDS } from './person-fields.ts';

const ADULT = 18;
const AMERICAN = 'en_US';

/** The parameters that affect the members of a person. */
interface PersonParams {
  readonly locale: string;
  readonly withSyntheticPersonas: boolean;
}

type Rows = ReadonlyMap<string, ColumnData>;
type Read = (position: number) => CellValue;
type Person = Record<string, CellValue>;

/** A key of every person and the reader of its value. */
type Entry = readonly [key: string, read: Read];

/** Makes people from rows of a collection, with derived fields and, if requested, personas. */
export function drawPerson({ locale, withSyntheticPersonas }: PersonParams) {
  return (rows: Rows): ((random: Random, position: number) => CellValue) => {
    const region = reader(rows, 'region');
    // In the United States the region is the state, after the derived fields.
    const hasStates = locale === AMERICAN && rows.has('region') && !rows.has('state');
    const personal = personalEntries(rows, locale).filter(([key]) => !(hasStates && key === 'region'));
    const personas = withSyntheticPersonas ? entriesOf(rows, personaFields) : [];
    return (random, position) => {
      const person: Person = {};
      for (const [key, read] of personal) person[key] = read(position);
      derive(person, region(position), random);
      if (hasStates) person['state'] = region(position);
      for (const [key, read] of personas) person[key] = read(position);
      return person;
    };
  };
}

/** Adds the derived fields. */
function derive(person: Person, region: CellValue, random: Random): void {
  const age = Number(person['age'] ?? 0);
  const born = drawBirthDate(age, random);
  const isAdult = age >= ADULT;
  const isAmerican = person['locale'] === AMERICAN;
  const hasPhone = isAdult && isAmerican && (person['postcode'] ?? null) !== null;
  person['birth_date'] = printDate(born);
  person['phone_number'] = hasPhone ? drawFictionalPhone(random) : null;
  person['email_address'] = isAdult ? emailOf(person, { age, born }, random) : null;
  person['national_id'] = isAmerican && region !== null ? drawNationalId(textOf(region), born, random) : null;
}

function emailOf(person: Person, life: { readonly age: number; readonly born: Date }, random: Random): string {
  const firstName = textOf(person['first_name']);
  const middleName = textOf(person['middle_name']);
  const lastName = textOf(person['last_name']);
  return drawEmailAddress({ firstName, middleName, lastName, ...life }, random);
}

function personalEntries(rows: Rows, locale: string): readonly Entry[] {
  const fields = personalFields.filter((field) => field === 'locale' || rows.has(field));
  return fields.map((field) => [field, personalReader(rows, field, locale)]);
}

function personalReader(rows: Rows, field: string, locale: string): Read {
  if (field === 'locale') return () => locale;
  const read = reader(rows, field);
  const words = SEX_WORDS[locale];
  if (field !== 'sex' || words === undefined) return read;
  return (position) => {
    const word = read(position);
    return typeof word === 'string' && Object.hasOwn(words, word) ? (words[word] ?? word) : word;
  };
}

function entriesOf(rows: Rows, fields: readonly string[]): readonly Entry[] {
  return fields.filter((field) => rows.has(field)).map((field) => [field, reader(rows, field)]);
}

/** A missing column reads as null. */
function reader(rows: Rows, column: string): Read {
  const data = rows.get(column);
  return data === undefined ? () => null : cellReader(data);
}

function textOf(value: CellValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Reads cells of a column by position: integers as numbers if exact, floats boxed. */
export function cellReader(data: ColumnData): (position: number) => CellValue {
  if (data instanceof Float64Array) return (position) => floatCell(data[position] ?? NaN);
  return (position) => {
    const value = data[position] ?? null;
    return typeof value === 'bigint' ? integerCell(value) : value;
  };
}

/** Boxed, because the type of a nested value cannot tell floats from integers. */
function floatCell(value: number): CellValue {
  return Number.isInteger(value) ? new Float(value) : value;
}

function integerCell(value: bigint): CellValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
