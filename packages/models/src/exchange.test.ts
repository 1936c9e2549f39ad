import { expect, test } from 'vitest';
import {
  type CellValue,
  type ChatMessage,
  DataDesignerError,
  isFailure,
  type NoteFlaw,
  ParseFailure,
  type EndedToolCall,
  type HistoryMessage,
  type ToolBox,
  toChatMessage,
  traceCell,
  type Message,
} from '@data-designer/core';
import { CannedGateway, openFacade, outcome, said, callContextOf } from '../test/canned-gateway.ts';
import { conversationOf } from './conversation.ts';

const SCHEMA = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } }, required: ['a'] };
const ask = { modelAlias: 'writer', prompt: () => 'Go', parse: (text: string) => text };
const strict = (text: string) => {
  if (!text.startsWith('ok')) throw new ParseFailure(`'${text}' is not ok.`);
  return text;
};

/** A parser that repairs the answer twice. */
function repairing(text: string, _: unknown, note?: NoteFlaw): string {
  note?.('repaired');
  note?.('repaired');
  return text;
}

function broken(): never {
  throw new TypeError('broken');
}

/** An answer of the Messages protocol. */
function written(content: object[]): ReturnType<typeof outcome> {
  return outcome({ content, stop_reason: 'end_turn', usage: {} });
}

const answered = (response: ChatMessage, content: string): readonly ChatMessage[] => [
  response,
  ...(response.tool_calls ?? []).map(({ id }): ChatMessage => ({ role: 'tool', content, tool_call_id: id })),
];
const tools: ToolBox = {
  toolAlias: 't',
  maxToolCallTurns: 2,
  getToolSchemas: async () => [{ type: 'function', function: { name: 'f', description: '', parameters: {} } }],
  hasToolCalls: ({ tool_calls: calls = [] }) => calls.length > 0,
  toolCallCount: ({ tool_calls: calls = [] }) => calls.length,
  processCompletionResponse: async (response) => answered(response, 'done'),
  refuseCompletionResponse: (response) => answered(response, 'refused'),
};
const CALL = { name: 'f', arguments: '{}' };
const toolTurn = (id = 'c', name = 'f') =>
  said(null, {
    message: { tool_calls: [{ id, type: 'function', function: { ...CALL, name } }] },
    finish: 'tool_calls',
  });

test('media come before the prompt, which is rendered after admission', async () => {
  const gateway = new CannedGateway(said('ok'));
  const image = { type: 'image', url: 'https://a.example/b.png' } as const;
  let admitted = -1;
  const prompt = () => {
    admitted = gateway.admitted.length;
    return 'What is it?';
  };
  const { messages } = await openFacade(gateway).generate(
    { ...ask, prompt, media: async () => [image] },
    callContextOf(),
  );
  expect(admitted).toBe(1);
  expect(messages[0]).toEqual({ role: 'user', content: [image, { type: 'text', text: 'What is it?' }] });
});

test('without media the prompt is plain text, and an empty system prompt is omitted', async () => {
  const gateway = new CannedGateway(said('ok'));
  await openFacade(gateway).generate({ ...ask, systemPrompt: () => '', media: async () => [] }, callContextOf());
  expect(gateway.bodies[0]?.messages).toEqual([{ role: 'user', content: 'Go' }]);
});

test('a request never asks for several choices', async () => {
  const gateway = new CannedGateway(said('ok'));
  await openFacade(gateway, { parameters: { n: 3, temperature: 1 } }).generate(ask, callContextOf());
  expect(gateway.bodies[0]).toEqual({ model: 'm-1', messages: [{ role: 'user', content: 'Go' }], temperature: 1 });
});

test('later turns send reasoning back under the name that the endpoint gave it', async () => {
  const gateway = new CannedGateway(said('no', { message: { reasoning: 'because' } }), said('ok'));
  const facade = openFacade(gateway, {}, { corrections: 1, restarts: 0 });
  await facade.generate({ ...ask, parse: strict }, callContextOf());
  expect(gateway.bodies[1]?.messages).toEqual([
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: 'no', reasoning: 'because' },
    { role: 'user', content: "'no' is not ok." },
  ]);
});

const SENT_BACK = {
  reasoning_content: '',
  reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', index: 0 }],
  extra_content: { google: { thought_signature: 'm' } },
  tool_calls: [
    {
      id: 'c',
      type: 'function',
      index: 0,
      function: { name: 'f', arguments: '{}', provider_specific_fields: { a: 1 } },
      extra_content: { google: { thought_signature: 'c' } },
    },
  ],
};
const SIGNED = { ...SENT_BACK, refusal: null, annotations: [] };

test('unknown fields of an answer and its calls go back with results of tools, corrections and after a restart', async () => {
  const gateway = new CannedGateway(
    said(null, { message: SIGNED }),
    said('no', { message: { hint: 7 } }),
    said('no'),
    said('ok'),
  );
  const facade = openFacade(gateway, {}, { corrections: 1, restarts: 1 });
  await facade.generate({ ...ask, parse: strict }, callContextOf(), tools);
  const back = { role: 'assistant', content: null, ...SENT_BACK };
  const [, second, third, fourth] = gateway.bodies.map(({ messages }) => messages);
  expect(second).toEqual([{ role: 'user', content: 'Go' }, back, { role: 'tool', content: 'done', tool_call_id: 'c' }]);
  expect(third).toMatchObject([{}, back, {}, { content: 'no', hint: 7 }, {}]);
  expect(fourth).toEqual(second);
});

const DIGITS = '{"a":1.0,"b":12345678901234567890,"c":1.50,"d":1e3,"e":-0,"f":0.12345678901234567890,"g":1e-7}';

test('numbers in unknown fields of a completion go back with every digit', async () => {
  const { body, ...rest } = said('no', { message: { hint: 'HINT' } });
  const gateway = new CannedGateway({ ...rest, body: body.replace('"HINT"', DIGITS) }, said('ok'));
  const facade = openFacade(gateway, {}, { corrections: 1, restarts: 0 });
  await facade.generate({ ...ask, parse: strict }, callContextOf());
  expect(gateway.calls[1]?.body).toContain(`"hint":${DIGITS}`);
  expect(facade.usage).toMatchObject({ inputTokens: 20 });
});

test('numbers in unknown members of the Responses API go back with every digit', async () => {
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', hint: 'HINT' };
  const text = { type: 'message', content: [{ type: 'output_text', text: 'ok' }] };
  const { body, ...rest } = outcome({ status: 'completed', output: [call] });
  const first = { ...rest, body: body.replace('"HINT"', DIGITS) };
  const gateway = new CannedGateway(first, outcome({ status: 'completed', output: [text] }));
  await openFacade(gateway, { protocol: 'openai-responses' }).generate(ask, callContextOf(), tools);
  expect(gateway.calls[1]?.body).toContain(`"hint":${DIGITS}`);
});

test.each([{}, { caller: { type: 'direct' } }, { id: '', caller: {} }])(
  'the digits of a call of the Messages protocol go back, with members %j',
  async (more) => {
    const block = { type: 'tool_use', id: 'c', name: 'f', input: { n: 'HINT' }, ...more };
    const { body, ...rest } = written([block]);
    const first = {
      ...rest,
      body: body.replace('"HINT"', DIGITS).replace('"usage":{}', '"usage":{"input_tokens":7.0}'),
    };
    const gateway = new CannedGateway(first, written([{ type: 'text', text: 'ok' }]));
    const facade = openFacade(gateway, { protocol: 'anthropic' });
    const { messages } = await facade.generate(ask, callContextOf(), tools);
    expect(messages[1]?.tool_calls?.[0]?.function.arguments).toBe(`{"n":${DIGITS}}`);
    expect(gateway.calls[1]?.body).toContain(`"input":{"n":${DIGITS}}`);
    expect(facade.usage).toMatchObject({ inputTokens: 7 });
  },
);

test('blocks of the Messages protocol with unknown members go back as they were written', async () => {
  const blocks = [
    { type: 'text', text: 'Look.', citations: [{ type: 'x' }] },
    { type: 'tool_use', id: 'c', name: 'f', input: {}, caller: { type: 'direct' } },
  ];
  const gateway = new CannedGateway(written(blocks), written([{ type: 'text', text: 'ok' }]));
  await openFacade(gateway, { protocol: 'anthropic' }).generate(ask, callContextOf(), tools);
  expect(gateway.bodies[1]?.messages).toMatchObject([{}, { role: 'assistant', content: blocks }, {}]);
});

test('items of the Responses API with unknown members go back as they were written', async () => {
  const call = { type: 'function_call', id: 'fc', call_id: 'c', name: 'f', arguments: '{}', namespace: 'n' };
  const text = { type: 'message', content: [{ type: 'output_text', text: 'ok' }] };
  const answers = [[call], [text]].map((output) => outcome({ status: 'completed', output }));
  const gateway = new CannedGateway(...answers);
  await openFacade(gateway, { protocol: 'openai-responses' }).generate(ask, callContextOf(), tools);
  expect(gateway.calls[1]?.body).toContain(JSON.stringify(call));
});

test('unknown fields do not go to another model', async () => {
  const gateway = new CannedGateway(said('no', { message: SIGNED }), said('ok'));
  const first = openFacade(gateway, {}, { corrections: 0, restarts: 0 });
  await expect(first.generate({ ...ask, parse: strict }, callContextOf())).rejects.toThrow(/no valid answer/);
  await openFacade(gateway, { model: 'm-2' }).generate(ask, callContextOf());
  expect(gateway.bodies[1]?.messages).toEqual([{ role: 'user', content: 'Go' }]);
});

test('thinking parts go back as they were written', async () => {
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }], closed: true },
    { type: 'text', text: 'no' },
  ];
  const gateway = new CannedGateway(said(null, { message: { content } }), said('ok'));
  const facade = openFacade(gateway, {}, { corrections: 1, restarts: 0 });
  const { messages } = await facade.generate({ ...ask, parse: strict }, callContextOf());
  expect(messages[1]).toEqual({ role: 'assistant', content: 'no', reasoning_content: 'Hm.' });
  expect(gateway.bodies[1]?.messages).toMatchObject([{}, { role: 'assistant', content }, {}]);
});

test.each([
  ['toolCallText', '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'],
  ['toolCallText', '<tool_call>f\n<arg_key>a</arg_key>'],
  ['toolCallText', '<function=f><parameter=a>1</parameter></function>'],
  ['toolCallText', '[TOOL_CALLS][{"name": "f"}]'],
  ['toolCallText', '<|python_tag|>f.call()'],
  ['toolCallText', '<|python_start|>{"name": "f", "parameters": {}}<|python_end|>'],
  ['toolCallText', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function'],
  ['toolCallText', '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0'],
  ['toolCallText', 'Let me see.\n<function_calls>\n<invoke name="f">'],
  ['toolCallText', '{"name": "f", "parameters": {}}', tools],
  ['toolCallText', '```json\n{"type": "function", "name": "f", "arguments": {}}\n```', tools],
  ['thinkingText', 'Yes.</think> No.</think> So'],
  ['thinkingText', '<thinking>Hm.</thinking>Yes.'],
  ['thinkingText', 'analysisWe think.assistantfinalYes.'],
  ['templateTokens', 'Yes.<|im_end|>'],
  ['repeats', 'I am sorry for the confusion in my last message. '.repeat(5)],
  ['speaksForUser', 'Yes.\n\nUser: And why is that so?\n\nAssistant: It is so.'],
  ['lostBackslash', 'It is \frac{1}{2}.'],
  ['lostBackslash', 'C:\temp'],
])('an answer has the flaw %s: %j', async (flaw, text, box?: ToolBox) => {
  const facade = openFacade(new CannedGateway(said(text)));
  await facade.generate(ask, callContextOf(), box);
  expect(facade.usage).toMatchObject({ [`${flaw}Answers`]: 1 });
});

test.each([
  ['Hermes writes:\n```\n<tool_call>\n{"name": "f"}\n</tool_call>\n```\nand so on.'],
  ['The tag `<tool_call>{"name": "f"}` opens it, and `</think>` ends the reasoning.'],
  ['The <tool_call> tag opens it.'],
  ['Close the <tool_call> tag, and </tool_call> ends it. A <function> tag is HTML of nobody.'],
  ['<tools><tool_call/><invoke>x</invoke></tools>'],
  ['<root><thinking>1</thinking></root>'],
  ['{"name": "f", "parameters": {}}'],
  ['A\ttable\nof\r\nlines: note:\n next, tan\tan.'],
])('an answer has no flaw: %j', async (text) => {
  const facade = openFacade(new CannedGateway(said(text)));
  await facade.generate(ask, callContextOf());
  const flawed = { toolCallTextAnswers: 0, thinkingTextAnswers: 0, lostBackslashAnswers: 0 };
  expect(facade.usage).toMatchObject(flawed);
});

test.each([
  ['of a tool that is not offered', [toolTurn('c', 'g'), said('ok')], tools],
  ['without tools', [said('ok', { message: { tool_calls: [{ id: 'c', type: 'function', function: CALL }] } })]],
])('an answer with a call %s is counted', async (_, answers, box?: ToolBox) => {
  const facade = openFacade(new CannedGateway(...answers));
  await facade.generate(ask, callContextOf(), box);
  expect(facade.usage).toMatchObject({ unofferedToolAnswers: 1 });
});

test.each([
  [2, 0],
  [3, 1],
])('an answer after the same call with the same result %i times has %i flaws', async (times, flaws) => {
  const turns = Array.from({ length: times }, () => toolTurn());
  const facade = openFacade(new CannedGateway(...turns, said('ok')));
  await facade.generate(ask, callContextOf(), { ...tools, maxToolCallTurns: 5 });
  expect(facade.usage).toMatchObject({ repeatsAnswers: flaws });
});

test('usage counts requests by column and attempt', async () => {
  const answers = [toolTurn(), said('no'), said('no'), said('no'), said('ok')];
  const facade = openFacade(new CannedGateway(...answers), {}, { corrections: 1, restarts: 1 });
  await facade.generate({ ...ask, parse: strict }, callContextOf(3, 'a'), tools);
  const { columns, ...all } = facade.usage;
  expect(all).toMatchObject({ requests: 5, inputTokens: 50, outputTokens: 25, toolCalls: 1, toolTurns: 1 });
  expect(columns.a?.first).toMatchObject({ requests: 1, toolCalls: 1, toolTurns: 1 });
  expect(columns.a?.toolTurn).toMatchObject({ requests: 1, toolCalls: 0 });
  expect(columns.a?.correction).toMatchObject({ requests: 2 });
  expect(columns.a?.restart).toMatchObject({ requests: 1, inputTokens: 10 });
});

test('usage counts failed requests, those without an answer included', async () => {
  const tries = { requests: 3, refused: 1, possiblyPaid: 0 };
  const timedOut = new DataDesignerError('model/timed-out', { model: 'm', timeoutMs: 1 });
  const notSent = new DataDesignerError('run/aborted', { reason: 'x' });
  const gateway = new CannedGateway(outcome('<html>', { tries }), outcome('{}', { status: 500 }), timedOut, notSent);
  const facade = openFacade(gateway);
  for (const code of ['model/broken-answer', 'model/server-error', 'model/timed-out', 'run/aborted']) {
    await expect(facade.generate(ask, callContextOf())).rejects.toMatchObject({ code });
  }
  expect(facade.usage).toMatchObject({ requests: 5, failedRequests: 5, refusedRequests: 1, possiblyPaidRequests: 1 });
});

test.each([
  ['no choices', 'model/bad-answer', 'openai', { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } }],
  [
    'no content',
    'model/bad-answer',
    'anthropic',
    { usage: { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 5 } },
  ],
  [
    'a refusal',
    'model/bad-answer',
    'anthropic',
    { content: [], stop_reason: 'refusal', usage: { input_tokens: 10, output_tokens: 5 } },
  ],
  ['half a body', 'model/broken-answer', 'openai', '{"usage":{"prompt_tokens":10,"completion_tokens":5},"choices":[{'],
] as const)('an answer with %s is paid for, and its tokens are counted', async (...[, code, protocol, body]) => {
  const facade = openFacade(new CannedGateway(outcome(body)), { protocol });
  await expect(facade.generate(ask, callContextOf())).rejects.toMatchObject({ code });
  expect(facade.usage).toMatchObject({ requests: 1, failedRequests: 1, inputTokens: 10, outputTokens: 5 });
  expect(facade.usage.unmeasuredAnswers).toBe(0);
});

test('an answer is read whatever its content type', async () => {
  const gateway = new CannedGateway({ ...said('ok'), headers: { 'content-type': 'text/plain' } });
  expect(await openFacade(gateway).generate(ask, callContextOf())).toMatchObject({ value: 'ok' });
});

test.each([
  ['an object', '{"a":"x"}', SCHEMA, 'reasoningJson'],
  ['words', 'It is {"a":"x"}', SCHEMA, 'empty'],
  ['a list', '[1]', SCHEMA, 'empty'],
  ['an object, asked for text', '{"a":"x"}', undefined, 'empty'],
] as const)(
  'without content, the reasoning is the answer if it is JSON that was asked for: %s',
  async (...[, reasoning, shape, flaw]) => {
    for (const content of [null, '', ' ', '\u200B']) {
      const facade = openFacade(new CannedGateway(said(content, { message: { reasoning_content: reasoning } })));
      const { value, messages } = await facade.generate({ ...ask, shape }, callContextOf());
      expect(value).toBe(flaw === 'empty' ? '' : reasoning);
      expect(messages.at(-1)).toEqual({ role: 'assistant', content: '', reasoning_content: reasoning });
      const flaws = { emptyAnswers: 0, reasoningJsonAnswers: 0 };
      expect(facade.usage).toMatchObject({ ...flaws, [`${flaw}Answers`]: 1 });
    }
  },
);

test('content beside JSON in the reasoning is the answer', async () => {
  const facade = openFacade(new CannedGateway(said('ok', { message: { reasoning_content: '{"a":"x"}' } })));
  expect(await facade.generate({ ...ask, shape: SCHEMA }, callContextOf())).toMatchObject({ value: 'ok' });
  expect(facade.usage).toMatchObject({ reasoningJsonAnswers: 0 });
});

test('a refusal by the model is not retried', async () => {
  const gateway = new CannedGateway(said(null, { message: { refusal: 'I cannot help with that.' } }));
  const facade = openFacade(gateway, { structuredOutput: true }, { corrections: 3, restarts: 3 });
  const failure: unknown = await facade
    .generate({ ...ask, parse: strict, shape: SCHEMA }, callContextOf())
    .catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({
    code: 'model/bad-answer',
    message: expect.stringMatching(/cannot help with that/) as string,
  });
  expect(gateway.calls).toHaveLength(1);
  expect(conversationOf(failure)).toEqual([{ role: 'user', content: 'Go' }]);
});

test('a failed conversation says why its answers were cut off, and its messages are available', async () => {
  const gateway = new CannedGateway(
    said('n', { finish: 'model_context_window_exceeded' }),
    said('no', { finish: 'length' }),
  );
  const facade = openFacade(gateway, {}, { corrections: 1, restarts: 0 });
  const failure: unknown = await facade
    .generate({ ...ask, parse: strict }, callContextOf())
    .catch((thrown: unknown) => thrown);
  expect(isFailure(failure, 'model/gave-up') && failure.data.truncation).toBe('context-window');
  expect((failure as Error).message).toMatch(/'no' is not ok\. An answer filled the context/);
  expect(conversationOf(failure)?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test('a restart forgets earlier cut-off answers', async () => {
  const gateway = new CannedGateway(said('no', { finish: 'length' }), said('no'));
  const facade = openFacade(gateway, {}, { corrections: 0, restarts: 1 });
  await expect(facade.generate({ ...ask, parse: strict }, callContextOf())).rejects.toMatchObject({
    data: { truncation: null },
  });
});

test('an error that is not a parse failure ends the cell at once', async () => {
  const facade = openFacade(new CannedGateway(said('no')), {}, { corrections: 3, restarts: 3 });
  await expect(facade.generate({ ...ask, parse: broken }, callContextOf())).rejects.toThrow('broken');
});

test('an endpoint with structured output gets the schema, and its filler nulls are dropped', async () => {
  const gateway = new CannedGateway(said('{"a":"x","b":null}'));
  const facade = openFacade(gateway, { structuredOutput: true });
  const { value } = await facade.generate(
    { ...ask, shape: SCHEMA, parse: (text, mend) => mend?.(JSON.parse(text) as CellValue) },
    callContextOf(),
  );
  expect(gateway.bodies[0]?.response_format).toMatchObject({ type: 'json_schema', json_schema: { strict: true } });
  expect(value).toEqual({ a: 'x' });
});

test.each([false, null])('an endpoint with structured output %s gets no schema', async (structuredOutput) => {
  const gateway = new CannedGateway(said('{}'));
  await openFacade(gateway, { structuredOutput }).generate({ ...ask, shape: SCHEMA }, callContextOf());
  expect(gateway.bodies[0]).not.toHaveProperty('response_format');
});

test('a refused schema is omitted for the rest of the cell, and the row continues', async () => {
  const refusal = outcome({ error: { message: "'response_format' is not supported" } }, { status: 400 });
  const gateway = new CannedGateway(refusal, said('no'), said('ok'));
  const facade = openFacade(gateway, { structuredOutput: true }, { corrections: 1, restarts: 0 });
  const { value } = await facade.generate({ ...ask, shape: SCHEMA, parse: strict }, callContextOf());
  expect(value).toBe('ok');
  expect(gateway.bodies.map((body) => 'response_format' in body)).toEqual([true, false, false]);
  expect(gateway.calls.map(({ call }) => call)).toEqual([0, 1, 2]);
  expect(gateway.admitted.map(({ call }) => call)).toEqual([0, 1, 2]);
  expect(facade.usage).toMatchObject({ requests: 3, failedRequests: 1 });
});

test('each cell tries the schema again after a refusal, so that a resumed run sends the same requests', async () => {
  const refusal = outcome({ error: { message: "'response_format' is not supported" } }, { status: 400 });
  const gateway = new CannedGateway(refusal, said('ok'), refusal, said('ok'));
  const facade = openFacade(gateway, { structuredOutput: true });
  for (const row of [1, 2]) await facade.generate({ ...ask, shape: SCHEMA }, callContextOf(row));
  expect(gateway.calls.map(({ row, call }) => [row, call])).toEqual([
    [1, 0],
    [1, 1],
    [2, 0],
    [2, 1],
  ]);
});

test('any other refusal of a request with a schema is reported unchanged', async () => {
  const gateway = new CannedGateway(outcome({ error: { message: 'temperature is too high' } }, { status: 400 }));
  const asked = openFacade(gateway, { structuredOutput: true }).generate({ ...ask, shape: SCHEMA }, callContextOf());
  await expect(asked).rejects.toMatchObject({ code: 'model/rejected' });
});

test('the schema is sent only once no tools are offered, since servers that enforce it cannot call tools', async () => {
  const turns = Array.from({ length: 5 }, (_, index) => toolTurn(`c${index}`));
  const gateway = new CannedGateway(...turns, said('{"a":"x"}'));
  await openFacade(gateway, { structuredOutput: true }).generate({ ...ask, shape: SCHEMA }, callContextOf(), tools);
  expect(gateway.bodies.map((body) => ['tools' in body, 'response_format' in body])).toEqual([
    ...turns.map(() => [true, false]),
    [false, true],
  ]);
});

test('a model that keeps calling tools gets one last request without them, then fails', async () => {
  const gateway = new CannedGateway(...Array.from({ length: 6 }, (_, index) => toolTurn(`c${index}`)));
  const failure: unknown = await openFacade(gateway)
    .generate(ask, callContextOf(), tools)
    .catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 'model/no-final-answer' });
  expect(gateway.bodies.at(-1)).not.toHaveProperty('tools');
});

test('signed thinking is sent back unchanged, after a tool turn and after a restart', async () => {
  const thinking = [{ type: 'thinking', thinking: ' hm ', signature: 's' }];
  const use = { type: 'tool_use', id: 'c', name: 'f', input: {} };
  const gateway = new CannedGateway(
    written([...thinking, use]),
    written([...thinking, { type: 'text', text: 'no' }]),
    written([{ type: 'text', text: 'ok' }]),
  );
  const facade = openFacade(gateway, { protocol: 'anthropic' }, { corrections: 0, restarts: 1 });
  const { messages } = await facade.generate({ ...ask, parse: strict }, callContextOf(), tools);
  const sent = gateway.bodies.map((body) => body.messages as ChatMessage[]);
  expect(sent[1]?.[1]).toEqual({ role: 'assistant', content: [...thinking, use] });
  expect(sent[2]).toEqual(sent[1]);
  expect(messages[1]).toMatchObject({ content: null, reasoning_content: 'hm' });
});

test('thinking in the text of an answer becomes reasoning in the conversation and in later requests', async () => {
  const gateway = new CannedGateway(said('<think>\nhm\n</think>\n\nno'), said('ok'));
  const facade = openFacade(gateway, {}, { corrections: 1, restarts: 0 });
  const { messages } = await facade.generate({ ...ask, parse: strict }, callContextOf());
  expect(messages[1]).toEqual({ role: 'assistant', content: 'no', reasoning_content: 'hm' });
  const [, sent] = gateway.bodies.map((body) => body.messages as ChatMessage[]);
  expect(sent?.[1]).toEqual(messages[1]);
});

test('thinking before tool calls becomes reasoning too', async () => {
  const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
  const gateway = new CannedGateway(said('<think>hm</think>', { message: { tool_calls: calls } }), said('ok'));
  const { messages } = await openFacade(gateway).generate(ask, callContextOf(), tools);
  expect(messages[1]).toMatchObject({ content: null, reasoning_content: 'hm', tool_calls: calls });
});

test('blank reasoning before tool calls is no reasoning', async () => {
  const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
  const gateway = new CannedGateway(said('', { message: { reasoning: ' \n', tool_calls: calls } }), said('ok'));
  const { messages } = await openFacade(gateway).generate(ask, callContextOf(), tools);
  expect(messages[1]).toEqual({ role: 'assistant', content: null, tool_calls: calls });
});

test('the parser gets the whole answer, including its thinking, which may be all there is', async () => {
  const heard: string[] = [];
  const parse = (text: string) => {
    heard.push(text);
    return text;
  };
  await openFacade(new CannedGateway(said('<think>hm</think>ok'))).generate({ ...ask, parse }, callContextOf());
  expect(heard).toEqual(['<think>hm</think>ok']);
});

test.each(['openai', 'anthropic'] as const)(
  'fields beyond those of a chat message never reach a request of %s',
  async (protocol) => {
    const wide = { duration_ms: 5, model: 'm-1', usage: { input_tokens: 1 }, finish_reason: 'stop' };
    const bodies = async (more: object) => {
      const called = { type: 'tool_use', id: 'c', name: 'f', input: {} };
      const turns = protocol === 'openai' ? toolTurn() : written([called]);
      const last = protocol === 'openai' ? [said('no'), said('ok')] : [textBlock('no'), textBlock('ok')];
      const gateway = new CannedGateway(turns, ...last);
      const box: ToolBox = {
        ...tools,
        processCompletionResponse: async (response) =>
          answered({ ...response, ...more }, 'done').map((message) => ({ ...message, ...more })),
      };
      const facade = openFacade(gateway, { protocol }, { corrections: 1, restarts: 0 });
      await facade.generate({ ...ask, parse: strict }, callContextOf(), box);
      return gateway.calls.map(({ body }) => body);
    };
    const plain = await bodies({});
    expect(plain).toHaveLength(3);
    expect(await bodies(wide)).toEqual(plain);
  },
);

const textBlock = (text: string) => written([{ type: 'text', text }]);

test('a stored trace reproduces the request it came from', async () => {
  const gateway = new CannedGateway(
    toolTurn(),
    said('no', { message: { reasoning_content: 'hm' } }),
    said('ok'),
    said('ok'),
  );
  const facade = openFacade(gateway, {}, { corrections: 1, restarts: 0 });
  const { messages, answers } = await facade.generate({ ...ask, parse: strict }, callContextOf(), tools);
  const cell = traceCell(messages, { answers }) as unknown as readonly Message[];
  const sent = gateway.bodies[2]?.messages;
  expect(sent).toHaveLength(5);
  const again = cell.slice(0, -1).map((message) => toChatMessage({ ...message, duration_ms: 5 } as Message));
  expect(JSON.stringify(again)).toBe(JSON.stringify(sent));
});

async function traced(body: object) {
  const { messages, answers } = await openFacade(new CannedGateway(outcome(body))).generate(ask, callContextOf());
  return answers.get(messages.at(-1)!);
}

test('the trace of an answer has its model, tokens and finish reason', async () => {
  const usage = { prompt_tokens_details: { cached_tokens: 4 } };
  const named = { ...JSON.parse(said('ok', { finish: 'length', usage }).body), model: 'm-1-2026' } as object;
  const bare = { choices: [{ message: { content: 'ok' } }] };
  expect(await traced(named)).toMatchObject({
    model: 'm-1-2026',
    usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 5, reasoning_tokens: null },
    finish_reason: 'length',
  });
  expect(await traced(bare)).toMatchObject({ model: 'm-1', usage: null, finish_reason: null });
});

test.each([
  [
    'openai',
    said('ok', {
      message: {
        reasoning: 'hm',
        reasoning_details: [{ data: 'x' }],
        refusal: null,
        tool_calls: [
          { id: 'b', type: 'function', index: 0, function: { name: 'f', arguments: '{}' } },
          { id: 'c', type: 'function', index: 1, function: { name: 'f', arguments: '{}', a: 1 }, extra_content: 's' },
        ],
      },
    }),
    {
      message: { reasoning_details: [{ data: 'x' }] },
      tool_calls: [{ at: 1, extra_content: 's', function: { a: 1 } }],
    },
  ],
  ['openai', said('ok', { message: { reasoning_content: 'hm' } }), undefined],
  [
    'anthropic',
    written([
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'ok', citations: null },
    ]),
    [{ at: 0, type: 'thinking', signature: 's' }],
  ],
  ['anthropic', written([{ type: 'text', text: 'ok' }]), undefined],
  [
    'openai-responses',
    outcome({
      status: 'completed',
      output: [
        { type: 'reasoning', id: 'r', summary: [{ text: 'hm' }], encrypted_content: 'e' },
        { type: 'message', content: [{ type: 'output_text', text: 'ok' }] },
      ],
    }),
    [{ at: 0, type: 'reasoning', encrypted_content: 'e' }],
  ],
] as const)(
  'the trace of an answer of %s has the fields that no other field stores',
  async (protocol, answer, fields) => {
    const { messages, answers } = await openFacade(new CannedGateway(answer), { protocol }).generate(
      ask,
      callContextOf(),
    );
    const extra = answers.get(messages.at(-1)!)?.extra;
    const stored: unknown = typeof extra === 'string' ? JSON.parse(extra) : extra;
    expect(stored).toEqual(fields === undefined ? null : { provider: 'p', model: 'm-1', fields });
  },
);

/** Tools whose calls succeed or fail turn by turn: by tool, whether the call failed. */
function toolsThat(...turns: readonly Readonly<Record<string, boolean>>[]): ToolBox {
  const left = [...turns];
  return {
    ...tools,
    maxToolCallTurns: turns.length,
    processCompletionResponse: async (response, { onToolCall }) => {
      for (const [tool, failed] of Object.entries(left.shift() ?? {})) {
        onToolCall?.({ tool: tool === 'unknown' ? null : tool, failed });
      }
      return answered(response, 'done');
    },
  };
}

test.each([
  ['failed and was not repeated', [{ a: true }], 'failedToolAnswers'],
  ['failed beside one that succeeded', [{ a: true, b: false }], 'failedToolAnswers'],
  ['succeeded and failed later', [{ a: false }, { a: true }], 'failedToolAnswers'],
  ['failed while another succeeded later', [{ a: true }, { b: false }], 'failedToolAnswers'],
  ['failed and succeeded later', [{ a: true }, { a: false }], 'recoveredToolAnswers'],
  ['does not exist, before another one succeeded', [{ unknown: true }, { a: false }], 'recoveredToolAnswers'],
  ['does not exist', [{ unknown: true }], 'failedToolAnswers'],
  ['succeeded', [{ a: false }], undefined],
] as const)('an answer after a tool call that %s is counted so', async (_, turns, counted) => {
  const facade = openFacade(new CannedGateway(...turns.map(() => toolTurn()), said('ok')));
  await facade.generate(ask, callContextOf(), toolsThat(...turns));
  const { failedToolAnswers, recoveredToolAnswers, refusedToolAnswers } = facade.usage;
  const found = Object.entries({ failedToolAnswers, recoveredToolAnswers, refusedToolAnswers });
  expect(found.flatMap(([name, count]) => (count > 0 ? [name] : []))).toEqual(counted ? [counted] : []);
});

test('answers after a result that was cut or lacks items have a flaw each, also where later calls succeed', async () => {
  const shown: Pick<EndedToolCall, 'isCut' | 'isPart'>[] = [{ isCut: true }, { isPart: true }, {}];
  const cutting: ToolBox = {
    ...tools,
    processCompletionResponse: async (response, { onToolCall }) => {
      onToolCall?.({ tool: 'a', failed: false, ...shown.shift() });
      return answered(response, 'done');
    },
  };
  const facade = openFacade(new CannedGateway(toolTurn(), toolTurn(), toolTurn(), said('ok')));
  await facade.generate(ask, callContextOf(), { ...cutting, maxToolCallTurns: 3 });
  expect(facade.usage).toMatchObject({ cutToolAnswers: 1, partToolAnswers: 1, failedToolAnswers: 0 });
});

test('an answer after refused tool calls is a flaw, and so is one whose parser notes one', async () => {
  const facade = openFacade(new CannedGateway(toolTurn(), said('ok')));
  await facade.generate({ ...ask, parse: repairing }, callContextOf(), { ...tools, maxToolCallTurns: 0 });
  expect(facade.usage).toMatchObject({ refusedToolAnswers: 1, repairedAnswers: 1, failedToolAnswers: 0 });
});

test('flaws of answers that the parser refused are not counted, as nothing uses them', async () => {
  const gateway = new CannedGateway(said('', { finish: 'length' }), said('ok'));
  const facade = openFacade(gateway, {}, { corrections: 1, restarts: 0 });
  await facade.generate({ ...ask, parse: strict }, callContextOf());
  expect(facade.usage).toMatchObject({ cutAnswers: 0, emptyAnswers: 0 });
});

const SHOT = { type: 'image', media_type: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' } as const;
const showing: ToolBox = {
  ...tools,
  processCompletionResponse: async (response) => [
    response,
    { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'Page: Hello.' }, SHOT] },
  ],
};

test.each([
  [400, 'This model does not support image input.'],
  [404, 'No endpoints found that support image input'],
  [422, 'messages[3]: unknown variant `image_url`, expected `text`'],
  [400, "'messages.2.content' : value must be a string"],
  [400, 'm is not a multimodal model'],
  [400, 'invalid message format'],
  [400, 'At most 0 image(s) may be provided in one prompt.'],
])(
  'after a %i with "%s", the text of a tool goes without its images, and the answer has a flaw',
  async (status, message) => {
    const gateway = new CannedGateway(toolTurn(), outcome({ error: { message } }, { status }), said('ok'));
    const facade = openFacade(gateway);
    const { value } = await facade.generate(ask, callContextOf(), showing);
    expect(value).toBe('ok');
    expect(gateway.calls.map(({ body }) => body.includes('image_url'))).toEqual([false, true, false]);
    expect(JSON.stringify(gateway.bodies[2])).toContain(
      'Page: Hello.\\n[An image was left out here: this model reads text only.]',
    );
    expect(facade.usage.leftOutPictureAnswers).toBe(1);
  },
);

test('a refusal of images is repeated at most once, and never without images of tools', async () => {
  const no = outcome({ error: { message: 'image too large' } }, { status: 400 });
  const gateway = new CannedGateway(toolTurn(), no, no);
  await expect(openFacade(gateway).generate(ask, callContextOf(), showing)).rejects.toThrow('image too large');
  expect(gateway.calls).toHaveLength(3);
  const plain = new CannedGateway(no);
  await expect(openFacade(plain).generate({ ...ask, media: async () => [SHOT] }, callContextOf())).rejects.toThrow(
    'image too large',
  );
  expect(plain.calls).toHaveLength(1);
});

test.each([
  ['This model does not support image input', 'model/text-only'],
  ['image too large', 'model/rejected'],
])('an image of the user that is refused with "%s" fails the cell with %s', async (message, code) => {
  const gateway = new CannedGateway(outcome({ error: { message } }, { status: 400 }));
  const asked = openFacade(gateway).generate({ ...ask, media: async () => [SHOT] }, callContextOf());
  await expect(asked).rejects.toMatchObject({ code, data: { reason: expect.stringContaining(message) as string } });
  expect(gateway.calls).toMatchObject([{ pictures: 'prompt' }]);
});

test('requests name the source of their images', async () => {
  const gateway = new CannedGateway(toolTurn(), said('ok'));
  await openFacade(gateway).generate({ ...ask, media: async () => [SHOT] }, callContextOf(), showing);
  const other = new CannedGateway(toolTurn(), said('ok'));
  await openFacade(other).generate(ask, callContextOf(), showing);
  const sources = [gateway, other].map(({ calls }) => calls.map(({ pictures }) => pictures));
  expect(sources).toEqual([
    ['prompt', 'both'],
    [undefined, 'tool'],
  ]);
});

test.each(['a\u0000b', 'half \uD83D'])('an answer after %j has a flaw, as U+FFFD was sent', async (text) => {
  const gateway = new CannedGateway(said('no'), said('ok'));
  const facade = openFacade(gateway, {}, { corrections: 1, restarts: 0 });
  await facade.generate({ ...ask, parse: strict, prompt: () => text }, callContextOf());
  expect(gateway.bodies[0]?.messages).toEqual([{ role: 'user', content: text.replace(/[\0\uD83D]/, '\uFFFD') }]);
  expect(facade.usage.mendedTextAnswers).toBe(1);
  await openFacade(new CannedGateway(said('ok'))).generate(ask, callContextOf());
});

test('a replay of a refusal of images sends the same requests', async () => {
  const outcomes = [toolTurn(), outcome({ error: { message: 'no image input' } }, { status: 400 }), said('ok')];
  const [first, second] = [new CannedGateway(...outcomes), new CannedGateway(...outcomes)];
  for (const gateway of [first, second]) await openFacade(gateway).generate(ask, callContextOf(), showing);
  expect(second.calls).toEqual(first.calls);
});

test('a replay of answers with returned fields sends the same requests, digit for digit', async () => {
  const { body, ...rest } = said(null, { message: { ...SIGNED, hint: 'HINT' } });
  const outcomes = [
    { ...rest, body: body.replace('"HINT"', DIGITS) },
    said('no', { message: { reasoning: 'hm' } }),
    said('ok'),
  ];
  const [first, second] = [new CannedGateway(...outcomes), new CannedGateway(...outcomes)];
  for (const gateway of [first, second]) {
    const facade = openFacade(gateway, {}, { corrections: 1, restarts: 0 });
    await facade.generate({ ...ask, parse: strict }, callContextOf(), tools);
  }
  expect(first.calls[2]?.body).toContain(DIGITS);
  expect(second.calls).toEqual(first.calls);
});

test('half a character in a prompt is sent as U+FFFD', async () => {
  const gateway = new CannedGateway(said('ok'));
  await openFacade(gateway).generate({ ...ask, prompt: () => 'a\uD83D' }, callContextOf());
  expect(gateway.bodies[0]?.['messages']).toEqual([{ role: 'user', content: 'a\uFFFD' }]);
});

const PAST: readonly HistoryMessage[] = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello' },
];

test.each([
  ['openai', { messages: [...PAST, { role: 'user', content: 'Go' }] }],
  [
    'anthropic',
    {
      system: 'Be kind.',
      messages: [PAST[1], { role: 'assistant', content: [{ text: 'Hello' }] }, { role: 'user', content: 'Go' }],
    },
  ],
  ['openai-responses', { input: [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Hello' }, {}] }],
])('the messages of a history come before the prompt: %s', async (protocol, sent) => {
  const answers = { openai: said('ok'), anthropic: written([{ type: 'text', text: 'ok' }]) } as Record<
    string,
    ReturnType<typeof said>
  >;
  const gateway = new CannedGateway(
    answers[protocol] ??
      outcome({ status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'ok' }] }] }),
  );
  const facade = openFacade(gateway, { protocol });
  const made = await facade.generate({ ...ask, history: () => PAST }, callContextOf());
  expect(gateway.bodies[0]).toMatchObject(sent);
  expect(made).toMatchObject({ historyLength: 3, modelAlias: 'writer' });
  expect(made.messages).toEqual([
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: 'ok' },
  ]);
});

test('a system prompt replaces that of the history, and an empty prompt adds no message', async () => {
  const gateway = new CannedGateway(said('ok'), said('ok'));
  const facade = openFacade(gateway);
  const history = () => PAST.slice(0, 2);
  const { messages } = await facade.generate(
    { ...ask, prompt: () => '', systemPrompt: () => 'Be brief.', history },
    callContextOf(),
  );
  expect(gateway.bodies[0]?.messages).toEqual([{ role: 'system', content: 'Be brief.' }, PAST[1]]);
  expect(messages.map(({ role }) => role)).toEqual(['system', 'assistant']);
  await facade.generate({ ...ask, prompt: () => '', history: () => [] }, callContextOf());
  expect(gateway.bodies[1]?.messages).toEqual([{ role: 'user', content: '' }]);
});

test('corrections are named, and the history stays before them', async () => {
  const gateway = new CannedGateway(said('no'), said('ok'));
  const facade = openFacade(gateway, {}, { corrections: 1, restarts: 0 });
  const { messages, corrections } = await facade.generate(
    { ...ask, parse: strict, history: () => PAST },
    callContextOf(),
  );
  expect(messages.filter((message) => !corrections.has(message))).toEqual([
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: 'ok' },
  ]);
  expect(gateway.bodies[1]?.messages).toHaveLength(6);
});

/** The further fields of an answer with tool calls in a trace of another cell, as `extra`. */
async function extraOf(message: object, more: Parameters<typeof openFacade>[1] = {}): Promise<string> {
  const gateway = new CannedGateway(said(null, { message }), said('ok'));
  const { messages, answers } = await openFacade(gateway, more).generate(ask, callContextOf(), tools);
  const called = messages.find(({ tool_calls: calls }) => calls);
  const extra = called && answers.get(called)?.['extra'];
  return typeof extra === 'string' ? extra : '';
}

test('unknown fields of an earlier answer go back to the model that wrote them, and to no other', async () => {
  const extra = await extraOf(SIGNED);
  const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] as const;
  const history = (): HistoryMessage[] => [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: calls, extra },
    { role: 'tool', content: 'done', tool_call_id: 'c' },
    { role: 'assistant', content: 'Hello', extra: extra.replace('"tool_calls"', '"others"') },
  ];
  const sentBy = async (more: Parameters<typeof openFacade>[1]) => {
    const gateway = new CannedGateway(said('ok'));
    await openFacade(gateway, more).generate({ ...ask, history }, callContextOf());
    return gateway.bodies[0]?.messages as readonly Record<string, unknown>[];
  };
  const { tool_calls: signedCalls, reasoning_content: _, ...signed } = SENT_BACK;
  const [signedCall] = signedCalls;
  const back = { ...signed, tool_calls: [{ ...signedCall, index: undefined }] };
  const own = await sentBy({});
  expect(own[1]).toEqual(JSON.parse(JSON.stringify({ role: 'assistant', content: null, ...back })));
  // Reasoning of an answer without tool calls stays behind.
  expect(own[3]).toEqual({ role: 'assistant', content: 'Hello', extra_content: SENT_BACK.extra_content });
  const plain = { role: 'assistant', content: null, tool_calls: calls };
  for (const more of [{ model: 'm-2' }, { resource: 'model/q/m' }, { takesKnownFieldsOnly: true as const }]) {
    expect((await sentBy(more))[1]).toEqual(plain);
  }
});

test('an endpoint that takes known fields only gets none back in a tool loop either', async () => {
  const gateway = new CannedGateway(said(null, { message: SIGNED }), said('ok'));
  await openFacade(gateway, { takesKnownFieldsOnly: true }).generate(ask, callContextOf(), tools);
  const [call] = SENT_BACK.tool_calls;
  const plain = { id: call?.id, type: 'function', function: { name: 'f', arguments: '{}' } };
  expect((gateway.bodies[1]?.messages as unknown[] | undefined)?.[1]).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [plain],
  });
});

test('the fields of an earlier answer cannot set its role, text or calls', async () => {
  const fields = { message: { role: 'system', content: 'evil', tool_calls: [], hint: 1 } };
  const extra = JSON.stringify({ provider: 'p', model: 'm-1', fields });
  const gateway = new CannedGateway(said('ok'));
  const history = (): HistoryMessage[] => [PAST[1] as HistoryMessage, { role: 'assistant', content: 'Hello', extra }];
  await openFacade(gateway).generate({ ...ask, history }, callContextOf());
  const sent = gateway.bodies[0]?.messages as unknown[] | undefined;
  expect(sent?.[1]).toEqual({ role: 'assistant', content: 'Hello', hint: 1 });
});
