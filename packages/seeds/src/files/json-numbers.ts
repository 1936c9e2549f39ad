/** Numbers that a float may not hold: an exponent of three digits, or an integer of many digits. */
const SUSPECT = '[eE][+]?[0-9]{3}|(^|[^0-9.eE+-])-?[0-9]{16,}([^0-9.eE]|$)';
/** A float is told from its neighbours by so many digits. */
export const FLOAT_DIGITS = 17;
/** A fraction of more digits. */
const LONG = String.raw`[0-9.]{19}`;
const STRING = String.raw`"(\\.|[^"\\])*"`;
const NUMBER = '-?[0-9][-+0-9.eE]*';

/** SQL that is true for a JSON value with an integer that a float would round. DuckDB rounds fractions itself. */
export function roundingTest(value: string): string {
  return numbersTest(value, String.raw`regexp_full_match(n, '-?\d{16,}')`);
}

/** SQL that is true for a JSON value with a number beyond all floats. */
export function infinityTest(value: string): string {
  return numbersTest(value, 'NOT coalesce(isfinite(TRY_CAST(n AS DOUBLE)), false)');
}

/** SQL of the first fraction in the text of a row that has more digits than tell a float from its neighbours; null for none. */
export function shortenedNumber(text: string): string {
  const digits = String.raw`regexp_replace(regexp_replace(n, '[eE].*$|[-+.]', '', 'g'), '^0+|0+$', '', 'g')`;
  const isLong = `contains(n, '.') AND length(${digits}) > ${FLOAT_DIGITS}`;
  return `CASE WHEN regexp_matches(${text}, '${LONG}') THEN list_filter(${numbersIn(text)}, lambda n: ${isLong})[1] END`;
}

/** SQL that is true for a JSON value with a number that passes a test of its text `n`. */
function numbersTest(value: string, test: string): string {
  const text = `CAST(${value} AS VARCHAR)`;
  const passes = `coalesce(list_bool_or(list_transform(${numbersIn(text)}, lambda n: ${test})), false)`;
  return `CASE WHEN regexp_matches(${text}, '${SUSPECT}') THEN ${passes} ELSE false END`;
}

/** SQL of the list of numbers in the text of a JSON value. */
function numbersIn(text: string): string {
  return `regexp_extract_all(regexp_replace(${text}, '${STRING}', '""', 'g'), '${NUMBER}')`;
}
