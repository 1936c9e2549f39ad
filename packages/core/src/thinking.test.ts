import { expect, test } from 'vitest';
import { splitThinking, withReasoning } from './thinking.ts';

test.each([
  ['<think>Hm.</think>Yes.', 'Hm.', 'Yes.'],
  ['<think>\nHm.\n</think>\n\nYes.\n\nNo.', 'Hm.', 'Yes.\n\nNo.'],
  ['\n <think>Hm.</think> Yes.', 'Hm.', 'Yes.'],
  ['<think></think>Yes.', '', 'Yes.'],
  ['<think>Hm.</think>', 'Hm.', ''],
  ['Hm.\n</think>\nYes.', 'Hm.', 'Yes.'],
  ['So it is.</think>\nYes.', 'So it is.', 'Yes.'],
  ['```\nx\n```\n</think>Yes.', '```\nx\n```', 'Yes.'],
  ['First consider it.</think>answer', 'First consider it.', 'answer'],
  ['Consider it. </think> Yes.', 'Consider it.', 'Yes.'],
  ['Say "hi"</think>Yes.', 'Say "hi"', 'Yes.'],
  ['◁think▷Hm.◁/think▷Yes.', 'Hm.', 'Yes.'],
  ['[THINK]Hm.[/THINK]Yes.', 'Hm.', 'Yes.'],
  ['<seed:think>Hm.</seed:think>Yes.', 'Hm.', 'Yes.'],
  ['<|START_THINKING|>Hm.<|END_THINKING|>Yes.', 'Hm.', 'Yes.'],
  [
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>',
    'Hm.',
    'Yes.',
  ],
  ['<|channel|>final<|message|>Yes.', '', 'Yes.'],
])('%j: %j is reasoning, %j is the answer', (text, thinking, answer) => {
  expect(splitThinking(text)).toEqual({ thinking, answer });
});

test.each([
  ['Yes.'],
  ['<think>cut off'],
  ['The tag <think> begins it, </think> ends it.'],
  ['Write it so:\n```\n</think>\n```'],
  ['First <think>, then\n</think>'],
  ['Not <thinking>.'],
  ['The tag `</think>` ends it.'],
  ['It ends with "</think>".'],
  ['The tag </think> ends it.'],
  ['{"a": "Hm.</think>b"}'],
])('%j is all answer', (text) => {
  expect(splitThinking(text)).toEqual({ thinking: undefined, answer: text });
});

test('reasoning in the text of a message is appended to its reasoning', () => {
  const message = { role: 'assistant', content: '<think>Hm.</think>Yes.' } as const;
  expect(withReasoning(message)).toEqual({ role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' });
  expect(withReasoning({ ...message, reasoning_content: 'Well.' })).toMatchObject({ reasoning_content: 'Well.\nHm.' });
  expect(withReasoning({ ...message, content: '<think></think>Yes.' })).toEqual({ role: 'assistant', content: 'Yes.' });
});

test.each([
  [{ role: 'user', content: '<think>Hm.</think>Yes.' } as const],
  [{ role: 'assistant', content: 'Yes.' } as const],
  [{ role: 'assistant', content: null } as const],
])('%j stays unchanged', (message) => {
  expect(withReasoning(message)).toBe(message);
});
