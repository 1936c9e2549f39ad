import { expect, test } from 'vitest';
import { readAnswer, scoresText } from './read-answer.ts';

const outcome = (body: string) => readAnswer({ path: '/tools/call', body, row: 0, column: 'text', call: 1 });

test.each([
  [
    '{"content":[{"type":"text","text":"{\\"state\\":\\"sent\\"}"},{"type":"text","text":"ok"}]}',
    '{"state":"sent"}\nok',
  ],
  ['{"content":[{"type":"image"}]}', '{"content":[{"type":"image"}]}'],
  ['no JSON', 'no JSON'],
])('the result %s of a tool is its texts', async (body, text) => {
  expect(await outcome(body)).toMatchObject({ text, toolCalls: [], finishReason: null });
});

test.each([
  ['{"Tone":{"score":4,"reasoning":"r"},"Wit":{"score":"good"}}', 'Tone 4, Wit good'],
  ['```json\n{"Tone":{"score":4}}\n```', 'Tone 4'],
  ['{"Tone":{"reasoning":"r"}}', '{"Tone":{"reasoning":"r"}}'],
  ['not yet', 'not yet'],
])('the answer %s of a judge is its scores', (answer, text) => {
  expect(scoresText(answer)).toBe(text);
});
