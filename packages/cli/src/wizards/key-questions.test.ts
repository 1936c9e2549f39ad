import { afterEach, beforeEach, expect, test } from 'vitest';
import { apiKeyField, checkPair, checkVariable } from './key-questions.ts';

beforeEach(() => {
  process.env.QUESTION_OF_KEYS = 'set';
});

afterEach(() => {
  delete process.env.QUESTION_OF_KEYS;
});

test.each([
  ['QUESTION_OF_KEYS', true],
  ['${QUESTION_OF_KEYS}', true],
  ['', 'Enter the name of a variable.'],
  ['MYK', expect.stringMatching(/^MYK is not set, neither in the environment nor in \.env\. /)],
  ['QUESTION_OF_KEY', expect.stringContaining('Did you mean QUESTION_OF_KEYS?')],
  ['my key', "'my key' is not a name of a variable: use letters, digits and underscores."],
])('the name of a variable %j is checked at once', (text, verdict) => {
  expect(checkVariable(text)).toEqual(verdict);
});

test.each(['sk-proj-aB3dE5fG7hI9jK1l', 'hf_aBcDeFgHiJkLmNoPqRsT', '0123456789abcdef0123456789abcdef'])(
  'a key in place of a name is refused and not repeated: %s',
  (key) => {
    expect(checkVariable(key)).toMatch(/^This looks like a key, not like the name of a variable\./);
    expect(checkPair(key)).toBe('This looks like a key without a name. Write it as KEY=VALUE.');
  },
);

test.each([
  ['A=b=c', true],
  ['A=', true],
  ['A=x ${QUESTION_OF_KEYS}', true],
  ['MYK', "'MYK' has no value. Write it as MYK=VALUE."],
  [
    'QUESTION_OF_KEYS',
    "'QUESTION_OF_KEYS' has no value. Write it as QUESTION_OF_KEYS=VALUE, or as QUESTION_OF_KEYS=${QUESTION_OF_KEYS} to pass your own QUESTION_OF_KEYS.",
  ],
  ['A=${MYK}', expect.stringMatching(/^MYK is not set/)],
  ['=b', expect.stringContaining('is not a name of a variable')],
])('the environment variable %j of a program is checked at once', (text, verdict) => {
  expect(checkPair(text)).toEqual(verdict);
});

test('a key is saved as its variable, which is never sent as a key itself, or as it is pasted', () => {
  expect(apiKeyField({ keyFrom: 'variable', variable: 'OPENAI_API_KEY' })).toEqual({ apiKey: 'OPENAI_API_KEY' });
  expect(apiKeyField({ keyFrom: 'variable', variable: 'MYK' })).toEqual({ apiKey: '${MYK}' });
  expect(apiKeyField({ keyFrom: 'pasted', pastedKey: 'k' })).toEqual({ apiKey: 'k' });
  expect(apiKeyField({ keyFrom: 'none' })).toEqual({ apiKey: undefined });
  expect(apiKeyField({ keyFrom: 'unchanged' })).toEqual({});
});
