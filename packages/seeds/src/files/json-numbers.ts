/** Numbers that a float may not hold: an exponent of three digits, or an integer of many digits. */
const SUSPECT = '[eE][+]?[0-9]{3}|(^|[^0-9.eE+-])-?[0-9]{16,}([^0-9.eE]|$)';
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

/** SQL that is true for a JSON value with a number that passes a test of its text `n`. */
function numbersTest(value: string, test: string): string {
  const text = `CAST(${value} AS VARCHAR)`;
  const numbers = `regexp_extract_all(regexp_replace(${text}, '${STRING}', '""', 'g'), '${NUMBER}')`;
  const passes = `coalesce(list_bool_or(list_transform(${numbers}, lambda n: ${test})), false)`;
  return `CASE WHEN regexp_matches(${text}, '${SUSPECT}') THEN ${passes} ELSE false END`;
}
