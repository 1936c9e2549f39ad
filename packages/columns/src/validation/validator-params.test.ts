import { expect, test } from 'vitest';
import { readForm, writeForm } from '@data-designer/config';
import { stringifyJson } from '@data-designer/core';
import { validatorParams } from './validator-params.ts';

function parse(params: object) {
  return validatorParams.safeParse(readForm(validatorParams, params));
}

const check = (rows: readonly unknown[]) => rows.map(() => ({ is_valid: true }));

test.each(['python', 'sql:sqlite', 'sql:tsql', 'sql:bigquery', 'sql:mysql', 'sql:postgres', 'sql:ansi'])(
  'code can be checked as %s',
  (code_lang) => {
    expect(parse({ validator_type: 'code', code_lang }).data).toEqual({ validatorType: 'code', codeLang: code_lang });
  },
);

test.each([['java'], ['sql'], [null], [undefined]])('code cannot be checked as %j', (code_lang) => {
  expect(parse({ validator_type: 'code', code_lang }).error?.issues).toMatchObject([{ path: ['codeLang'] }]);
});

test('a remote validator has defaults for timeout, retries and parallel requests', () => {
  expect(parse({ validator_type: 'remote', endpoint_url: 'https://check.example.org' }).data).toEqual({
    validatorType: 'remote',
    endpointUrl: 'https://check.example.org',
    outputSchema: null,
    timeout: 30,
    maxRetries: 3,
    retryBackoff: 2,
    maxParallelRequests: 4,
  });
});

test.each([
  ['timeout', '0.5', 0.5],
  ['timeout', Infinity, Infinity],
  ['timeout', 'inf', Infinity],
  ['retry_backoff', '1.01', 1.01],
  ['max_retries', 0, 0],
  ['max_retries', '2', 2],
  ['max_parallel_requests', 1, 1],
])('%s may be %j', (key, value, read) => {
  const { data } = parse({ validator_type: 'remote', endpoint_url: 'x', [key]: value });
  expect(Object.values(data ?? {})).toContain(read);
});

test.each([
  ['timeout', 0],
  ['timeout', -Infinity],
  ['timeout', NaN],
  ['timeout', null],
  ['retry_backoff', 1],
  ['max_retries', -1],
  ['max_retries', 1.5],
  ['max_parallel_requests', 0],
  ['output_schema', 'none'],
])('%s may not be %j', (key, value) => {
  expect(parse({ validator_type: 'remote', endpoint_url: 'x', [key]: value }).success).toBe(false);
});

test('seconds are written as floats', () => {
  const read = parse({ validator_type: 'remote', endpoint_url: 'x', timeout: 5, retry_backoff: '3' }).data;
  expect(stringifyJson(writeForm(validatorParams, read))).toContain(
    '"timeout":5.0,"max_retries":3,"retry_backoff":3.0',
  );
});

test('accepts a function itself, not its name', () => {
  expect(parse({ validator_type: 'local_callable', validation_function: check }).data).toEqual({
    validatorType: 'local_callable',
    validationFunction: check,
    outputSchema: null,
  });
  expect(parse({ validator_type: 'local_callable', validation_function: 'check' }).error?.issues).toMatchObject([
    {
      path: ['validationFunction'],
      message: 'expected a function; only a TypeScript or JavaScript program can provide one',
    },
  ]);
});

test('keys of another validator are refused', () => {
  const { error } = parse({ validator_type: 'code', code_lang: 'python', timeout: 5 });
  expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['timeout'] }]);
});
