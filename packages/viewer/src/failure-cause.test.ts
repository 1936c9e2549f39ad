import { expect, test } from 'vitest';
import { failureCause } from './failure-cause.ts';

test.each([
  [
    "Model 'm' returned no valid answer after 2 corrections: 'name' is missing.",
    "Model 'x' returned no valid answer after 5 corrections: 'age' is missing.",
  ],
  ['The server answered "busy" after 1.5 s.', 'The server answered “late” after 20 s.'],
])('messages that differ in numbers and quoted values have one cause', (one, other) => {
  expect(failureCause(one)).toBe(failureCause(other));
});

test('messages with other words have other causes', () => {
  const causes = [
    "Model 'm' returned no valid answer: there is no JSON.",
    "Model 'm' returned no valid answer: 'name' must be text.",
    "Model 'm' returned no valid answer: the answer doesn't end, and isn't text.",
  ].map(failureCause);
  expect(new Set(causes).size).toBe(3);
  // An apostrophe is no quote.
  expect(causes[2]).toContain("doesn't end, and isn't text");
});
