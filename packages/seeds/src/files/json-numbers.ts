/** Numbers that a float may not hold: an exponent of three digits, or an integer of many digits. */
const SUSPECT = '[eE][+]?[0-9]{3}|(^|[^0-9.eE+-])-?[0-9]{16,}([^0-9.eE]|$)';
const STRING = String.raw`"(\\.|[^"\\])*"`;
const NUMBER = '-?[0-9][-+0-9.eE]*';

/** SQL that is true for a JSON value with a number that a float would round or make infinite. DuckDB rounds fractions itself. */
export function roundingTest(value: string): string {
  const text = `CAST(${value} AS VARCHAR)`;
  const numbers = `regexp_extract_all(regexp_replace(${text}, '${STRING}', '""', 'g'), '${NUMBER}')`;
  const isRounded = `coalesce(list_bool_or(list_transform(${numbers}, lambda n: ${numberTest('n')})), false)`;
  return `CASE WHEN regexp_matches(${text}, '${SUSPECT}') THEN ${isRounded} ELSE false END`;
}

/** SQL that is true for the text of a number that a float would round or make infinite. */
function numberTest(text: string): string {
  const float = `TRY_CAST(${text} AS DOUBLE)`;
  const isLong = String.raw`regexp_full_match(${text}, '-?\d{16,}')`;
  return `(NOT coalesce(isfinite(${float}), false) OR ${isLong})`;
}
