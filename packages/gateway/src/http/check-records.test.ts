import { expect, test } from 'vitest';
import { recordChecker } from './check-records.ts';

const posted = JSON.stringify({ data: [{ a: 1 }, { a: 2 }] });
const check = recordChecker(null);
const saying = (data: unknown) => check(JSON.stringify({ data }), posted);

test('an object with a verdict for each row is accepted, whatever else it holds', () => {
  expect(saying([{ is_valid: true }, { is_valid: null, why: { deep: [1] } }])).toBeUndefined();
  expect(check('{"data": [{"is_valid": false}, {"is_valid": true}], "took": 1.0}', posted)).toBeUndefined();
});

test.each([
  ['fewer rows', [{ is_valid: true }], 'it has 1 result for 2 rows'],
  ['more rows', Array.from({ length: 3 }, () => ({ is_valid: true })), 'it has 3 results for 2 rows'],
  ['a verdict in words', [{ is_valid: true }, { is_valid: 'yes' }], "row 2 of its 'data'"],
  ['a row that is null', [{ is_valid: true }, null], "row 2 of its 'data'"],
  ['no list', { is_valid: true }, "it is not an object with a list 'data'"],
])('%s is rejected', (_, data, words) => {
  expect(saying(data)).toContain(words);
});

test.each([
  ['', 'it is empty'],
  ['<html>\n  <b>', 'not valid JSON: <html> <b>'],
  ['{"data": [', 'not valid JSON'],
  ['null', "it is not an object with a list 'data'"],
  [`{"data": ${'['.repeat(5000)}`, 'not valid JSON'],
])('the body %j is rejected', (body, words) => {
  expect(check(body, posted)).toContain(words);
});

test('the check reports the first violation of a schema', () => {
  const row = { type: 'object', properties: { is_valid: { type: 'boolean' }, score: { type: 'number', maximum: 1 } } };
  const held = recordChecker({ type: 'object', properties: { data: { type: 'array', items: row } } });
  const one = JSON.stringify({ data: [{}] });
  expect(held('{"data": [{"is_valid": true, "score": 1.0}]}', one)).toBeUndefined();
  expect(held('{"data": [{"is_valid": true, "score": 2}]}', one)).toContain("'data[0].score' must be <= 1");
});
