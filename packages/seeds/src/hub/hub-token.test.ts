import { expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { readHubToken } from './hub-token.ts';

const read = (written: string | null, environment: Record<string, string> = {}) =>
  readHubToken(written, environment, { dataset: 'acme/ships' });

test('a missing or empty token is undefined, even if the environment has one', () => {
  expect(read(null, { HF_TOKEN: 'hf_a' })).toBeUndefined();
  expect(read('', { '': 'hf_a' })).toBeUndefined();
});

test.each([
  ['HF_TOKEN', { HF_TOKEN: 'hf_a' }, 'hf_a', 'the token in the variable HF_TOKEN'],
  ['${HF_TOKEN}', { HF_TOKEN: ' hf_a\n' }, 'hf_a', 'the token in the variable HF_TOKEN'],
  ['small', { small: 'hf_a' }, 'hf_a', 'the token in the variable small'],
  ['hf_a', { HF_TOKEN: 'other' }, 'hf_a', 'the given token'],
])('resolves the token %s and its name in messages', (written, environment, ...[value, shown]) => {
  expect(read(written, environment)).toEqual({ value, shown });
});

/** The code and message of the error for a token. */
function refusal(written: string, environment: Record<string, string> = {}): string {
  try {
    read(written, environment);
  } catch (thrown) {
    if (isFailure(thrown, 'secret/missing') || isFailure(thrown, 'hub/unauthorized'))
      return `${thrown.code} ${thrown.message}`;
  }
  throw new Error('it was read');
}

test.each(['HF_TOKEN', '${HF_TOKEN}'])('the error for %s names the variable that is not set', (written) => {
  expect(refusal(written)).toMatch(/^secret\/missing .*environment variable HF_TOKEN, which is not set/);
});

test.each(['hf_a b', 'hf_a\r\nx: y', 'hf_ä', '   '])('refuses the invalid token %j without quoting it', (written) => {
  expect(refusal(written)).toMatch(/^hub\/unauthorized .*the given token is empty or contains invalid characters/);
  expect(refusal('HF_TOKEN', { HF_TOKEN: written })).toMatch(
    /the token in the variable HF_TOKEN is empty or contains invalid characters/,
  );
  expect(refusal(written)).not.toContain('hf_');
});
