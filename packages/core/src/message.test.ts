import { expect, test } from 'vitest';
import { isMessages } from './message.ts';

test.each([
  [[{ role: 'user', content: 'Hi' }], true],
  [[{ role: 'user' }, { role: 'assistant' }], true],
  [[], false],
  [[{ role: 'user' }, { content: 'Hi' }], false],
  [[{ content: 'Hi' }, { role: 'user' }], false],
  [[{ role: 1 }], false],
  [['user'], false],
  [{ role: 'user' }, false],
  ['[{"role":"user"}]', false],
  [null, false],
])('%j is a list of messages: %s', (value, are) => {
  expect(isMessages(value)).toBe(are);
});
