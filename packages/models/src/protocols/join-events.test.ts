import { expect, test } from 'vitest';
import { fieldsOf, itemsOf, stringifyJson } from '@data-designer/core';
import { joinMessageEvents } from './anthropic/join-message-events.ts';
import { joinResponseEvents } from './openai-responses/join-response-events.ts';
import { joinChunks } from './openai/join-chunks.ts';

const delta = (given: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: given, finish_reason: finish }],
});

test('the chunks of a completion are joined: text, reasoning, calls by position, the last usage', () => {
  const call = (index: number, more: object) => delta({ tool_calls: [{ index, ...more }] });
  const chunks = [
    { id: 'x', model: 'm', object: 'chat.completion.chunk', ...delta({ role: 'assistant', content: '' }) },
    delta({ reasoning_content: 'th' }),
    delta({ reasoning_content: 'ink', content: null }),
    delta({ content: 'a' }),
    delta({ content: 'b' }),
    call(0, { id: 'c0', type: 'function', function: { name: 'find', arguments: '' } }),
    call(1, { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }),
    call(0, { function: { arguments: '{"q":' } }),
    call(0, { id: '', function: { name: null, arguments: '1}' } }),
    delta({}, 'tool_calls'),
    { choices: [], usage: { completion_tokens: 3 } },
    { choices: [], usage: { completion_tokens: 4 } },
    { choices: [], usage: null },
  ];
  expect(joinChunks(chunks, false)).toMatchObject({
    id: 'x',
    model: 'm',
    usage: { completion_tokens: 4 },
    choices: [
      {
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'ab',
          reasoning_content: 'think',
          tool_calls: [
            { id: 'c0', function: { name: 'find', arguments: '{"q":1}' } },
            { id: 'c1', function: { name: 'read', arguments: '{}' } },
          ],
        },
      },
    ],
  });
});

test('a stream of chunks without a finish reason is no answer, even with [DONE], and one with an error is that error', () => {
  const begun = delta({ content: 'a' });
  expect(joinChunks([begun], false)).toBeUndefined();
  expect(joinChunks([begun], true)).toBeUndefined();
  expect(joinChunks([begun, { choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] }], true)).toBeUndefined();
  const paid = { choices: [], usage: { prompt_tokens: 1 } };
  expect(joinChunks([begun, paid, { error: { code: 502 } }, delta({}, 'stop')], true)).toEqual({
    error: { code: 502 },
    usage: { prompt_tokens: 1 },
  });
  const unnamed = { object: 'error', message: 'died', code: 500 };
  expect(joinChunks([begun, unnamed], true)).toEqual({ error: unnamed });
  expect(joinChunks([begun, { type: 'error', message: 'died' }], true)).toMatchObject({ error: { message: 'died' } });
});

const answerOf = (chunks: readonly object[], isEnded = true) =>
  fieldsOf(itemsOf(joinChunks(chunks.map(fieldsOf), isEnded)?.choices)[0]);

const choiceAt = (index: number, content: string) => ({
  choices: [{ index, delta: { content }, finish_reason: 'stop' }],
});

test('the first choice of a stream is the one with the lowest index, as some servers count from 1', () => {
  expect(answerOf([choiceAt(1, 'a'), choiceAt(2, 'b')])).toMatchObject({ index: 0, message: { content: 'a' } });
  expect(answerOf([choiceAt(1, 'b'), choiceAt(0, 'a')])).toMatchObject({ index: 0, message: { content: 'a' } });
});

test('a finish reason ends a stream without [DONE], unless text follows it', () => {
  expect(answerOf([delta({ content: 'a' }), delta({}, 'stop')], false).finish_reason).toBe('stop');
  const early = [delta({ content: 'a' }, 'stop'), delta({ content: 'b' }, 'stop')];
  expect(joinChunks(early, false)).toBeUndefined();
  expect(answerOf(early)).toMatchObject({ message: { content: 'ab' }, finish_reason: 'stop' });
});

test.each([
  [['length', 'stop'], 'length'],
  [['stop', 'tool_calls'], 'tool_calls'],
  [['stop', 'stop'], 'stop'],
  [['content_filter', 'length'], 'content_filter'],
])('of the finish reasons %j, %s counts', (reasons, reason) => {
  expect(answerOf(reasons.map((one) => delta({}, one))).finish_reason).toBe(reason);
});

test('a stream is of its first choice, and takes the model from the first chunk with a choice', () => {
  const other = { choices: [{ index: 1, delta: { content: 'x' }, finish_reason: 'length' }] };
  const about = { id: '', model: '', choices: [], prompt_filter_results: [] };
  expect(joinChunks([about, other, { model: 'm', ...delta({ content: 'a' }, 'stop') }], true)).toEqual({
    model: 'm',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
  });
  expect(joinChunks([{ choices: [{ index: 0, finish_reason: 'stop' }] }], true)?.choices).toEqual([]);
  expect(answerOf([delta({ content: 'a' }, 'stop')], false).finish_reason).toBe('stop');
});

test.each([
  [[{ content: 'a', thinking: 'x' }, { thinking: 'y' }], { content: 'a', thinking: 'xy' }],
  [[{ reasoning_text: 'x' }, { reasoning_text: 'y' }], { content: null, reasoning_text: 'xy' }],
  [[{ reasoning: 'x' }, { reasoning: 'y' }], { content: null, reasoning: 'xy' }],
  [[{ refusal: 'I ' }, { refusal: 'cannot' }], { content: null, refusal: 'I cannot' }],
  [[{ content: [{ text: 'a' }] }, { content: [{ text: 'b' }] }], { content: [{ text: 'a' }, { text: 'b' }] }],
  [[{ content: 'a', mark: 'x' }, { mark: 'y' }, { mark: null }], { content: 'a', mark: 'y' }],
  [[{ note: null }, {}], { content: null, note: null }],
])('the deltas %j are the message %j', (deltas, message) => {
  expect(answerOf([...deltas.map((one) => delta(one)), delta({}, 'stop')]).message).toEqual({
    role: 'assistant',
    ...message,
  });
});

const wholeChoice = (message: object) => ({ choices: [{ index: 0, message, finish_reason: 'stop' }] });

test('a message in place of a delta is all of the answer where it repeats it, and a piece otherwise', () => {
  expect(answerOf([delta({ content: 'ab' }), wholeChoice({ content: 'ab' })]).message).toMatchObject({ content: 'ab' });
  expect(answerOf([wholeChoice({ content: 'ab' }), wholeChoice({ content: 'abc' })]).message).toMatchObject({
    content: 'abc',
  });
  expect(answerOf([wholeChoice({ content: 'ab' }), wholeChoice({ content: 'c' })]).message).toMatchObject({
    content: 'abc',
  });
  expect(answerOf([delta({ content: 'a', note: 1 }), wholeChoice({ content: 'ab' })]).message).toMatchObject({
    note: 1,
  });
  const called = { tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] };
  expect(answerOf([delta(called), wholeChoice({ content: null, ...called })]).message).toMatchObject(called);
});

const piece = (name: string | null, text: unknown, more: object = {}) => ({
  ...more,
  function: { name, arguments: text },
});

test.each([
  [
    'positions out of order',
    [piece('g', '{', { index: 1 }), piece('f', '{}', { index: 0 }), piece(null, '}', { index: 1 })],
  ],
  [
    'one position and ids of their own',
    [piece('f', '{}', { index: 0, id: 'a' }), piece('g', '{}', { index: 0, id: 'b' })],
  ],
  ['one position and names of their own', [piece('f', '{}', { index: 0 }), piece('g', '{}', { index: 0 })]],
  ['neither position nor id', [piece('f', '{}'), piece('g', '{'), piece(null, '}')]],
  [
    'ids alone',
    [piece('f', '{', { id: 'a' }), piece('', '}', { id: '' }), piece('g', '{', { id: 'b' }), piece('', '}')],
  ],
  ['ids that alternate', [piece('f', '{', { id: 'a' }), piece('g', '{}', { id: 'b' }), piece('', '}', { id: 'a' })]],
  [
    'ids before their arguments',
    [piece('f', '', { index: 0, id: 'a' }), piece('g', '', { index: 0, id: 'b' })],
    ['', ''],
  ],
  [
    'one position and pieces of the second',
    [piece('f', '{}', { index: 0 }), piece('g', '{', { index: 0 }), piece('', '}', { index: 0 })],
  ],
  ['arguments that break off', [piece('f', '{', { index: 0 }), piece('g', '{}', { index: 0 })], ['{', '{}']],
  ['the name in pieces', [piece('f', '{}', { index: 0 }), piece('g', '', { index: 1 }), piece('', '{}', { index: 1 })]],
] as const)('calls with %s are told apart', (_, pieces, texts: readonly string[] = ['{}', '{}']) => {
  const { message } = answerOf([...pieces.map((one) => delta({ tool_calls: [one] })), delta({}, 'tool_calls')]);
  const calls = itemsOf(fieldsOf(message).tool_calls).map((call) => fieldsOf(fieldsOf(call).function));
  expect(calls).toEqual([
    { name: 'f', arguments: texts[0] },
    { name: 'g', arguments: texts[1] },
  ]);
});

test.each([
  ['the name again', [piece('find', '{"q"', { index: 0, id: 'a' }), piece('find', ':1}', { index: 0, id: 'a' })]],
  ['the name again in one call without end', [piece('find', '{"q"', { index: 0 }), piece('find', ':1}', { index: 0 })]],
  ['the name again, arguments whole', [piece('find', '{"q":1}', { id: 'a' }), piece('find', '', { id: 'a' })]],
  ['the name in pieces', [piece('fi', '', { index: 0, id: 'a' }), piece('nd', '{"q":1}', { index: 0 })]],
  ['a name that grows', [piece('fi', '', { index: 0, id: 'a' }), piece('find', '{"q":1}', { index: 0 })]],
  [
    'an id of its own for each piece',
    [piece('find', '{"q"', { index: 0, id: 'a' }), piece(null, ':1}', { index: 0, id: 'b' })],
  ],
  ['arguments before the name', [piece(null, '{"q"', { index: 0, id: 'a' }), piece('find', ':1}', { index: 0 })]],
  ['an id behind a piece of the name', [piece('fi', '', { index: 0 }), piece('nd', '{"q":1}', { index: 0, id: 'a' })]],
  ['a position as text', [piece('find', '{"q"', { index: '0', id: 'a' }), piece(null, ':1}', { index: 0 })]],
  ['positions that are null', [piece('find', '{"q"', { index: null, id: 'a' }), piece(null, ':1}', { index: null })]],
  ['an id that comes late', [piece('find', '{"q"', { index: 0 }), piece(null, ':1}', { index: 0, id: 'a' })]],
])('pieces with %s are one call', (name, pieces) => {
  const { message } = answerOf([...pieces.map((one) => delta({ tool_calls: [one] })), delta({}, 'tool_calls')]);
  const [call, ...others] = itemsOf(fieldsOf(message).tool_calls);
  expect(others).toEqual([]);
  expect(call).toMatchObject({ function: { name: 'find', arguments: '{"q":1}' } });
  expect(fieldsOf(call).index).toBeUndefined();
  expect(fieldsOf(call)).toHaveProperty('id', name.includes('without end') ? undefined : 'a');
});

test.each(['{}', { q: 1 }])('two calls of one tool with the arguments %j at one position stay two', (text) => {
  const call = { ...piece('f', text, { index: 0 }), type: 'function' };
  const { message } = answerOf([
    delta({ tool_calls: [call] }),
    delta({ tool_calls: [call] }),
    delta({ tool_calls: [{ ...piece(null, '', { index: 0 }), type: null }] }),
    delta({}, 'tool_calls'),
  ]);
  const whole = { type: 'function', function: { name: 'f', arguments: text } };
  expect(message).toMatchObject({ tool_calls: [whole, whole] });
});

const MESSAGE = [
  { type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 3, output_tokens: 1 } } },
  { type: 'ping' },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'so' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'hi' } },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 't', name: 'find', input: {} } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"q"' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: ':1}' } },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
];

test('the events of a message are joined, and it is none without its last event', () => {
  expect(joinMessageEvents(MESSAGE)).toBeUndefined();
  expect(joinMessageEvents([...MESSAGE, { type: 'message_stop' }])).toEqual({
    id: 'm',
    stop_reason: 'tool_use',
    content: [
      { type: 'thinking', thinking: 'so', signature: 's' },
      { type: 'text', text: 'hi' },
      { type: 'tool_use', id: 't', name: 'find', input: { q: 1 } },
    ],
    usage: { input_tokens: 3, output_tokens: 9 },
  });
  expect(joinMessageEvents([...MESSAGE, { type: 'error', error: { type: 'overloaded_error' } }])).toMatchObject({
    error: { type: 'overloaded_error' },
  });
});

const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((one) => ({ type: 'content_block_delta', index, delta: one })),
  { type: 'content_block_stop', index },
];

test('a message keeps citations, unknown deltas and the digits of inputs, and its last usage and error count', () => {
  const start = { type: 'message_start', message: { id: 'm', usage: { input_tokens: 3, output_tokens: 1 } } };
  const cited = [
    { type: 'citations_delta', citation: { n: 1 } },
    { type: 'citations_delta', citation: { n: 2 } },
  ];
  const end = [
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } },
    { type: 'message_delta' },
  ];
  const events = [
    start,
    ...block(0, { type: 'text', text: 'a' }, { type: 'text_delta', text: 'b' }, ...cited),
    ...block(
      1,
      { type: 'compaction' },
      { type: 'compaction_delta', content: 'x' },
      { type: 'compaction_delta', content: 'y', n: 1 },
    ),
    ...block(2, { type: 'tool_use', input: {} }, { type: 'input_json_delta', partial_json: '{"n":1e3}' }),
    ...block(3, { type: 'tool_use', input: {} }, { type: 'input_json_delta', partial_json: '{"n"' }),
    ...block(4, { type: 'tool_use', input: { n: 1 } }, { type: 'input_json_delta', partial_json: '' }),
    { type: 'content_block_delta', index: 9, delta: { type: 'text_delta', text: 'lost' } },
    ...end,
  ];
  expect(stringifyJson(joinMessageEvents([...events, { type: 'message_stop' }]))).toBe(
    stringifyJson({
      id: 'm',
      usage: { input_tokens: 3, output_tokens: 4 },
      stop_reason: 'tool_use',
      stop_sequence: null,
      content: [
        { type: 'text', text: 'ab', citations: [{ n: 1 }, { n: 2 }] },
        { type: 'compaction', content: 'xy', n: 1 },
        { type: 'tool_use', input: { n: 'NUMBER' } },
        { type: 'tool_use', input: '{"n"' },
        { type: 'tool_use', input: { n: 1 } },
      ],
    }).replace('"NUMBER"', '1e3'),
  );
  expect(joinMessageEvents([...events, { type: 'error', error: { type: 'x' } }])).toEqual({
    type: 'error',
    error: { type: 'x' },
    usage: { input_tokens: 3, output_tokens: 4 },
  });
  expect(joinMessageEvents([{ error: { type: 'x' } }])).toMatchObject({ error: { type: 'x' } });
  expect(joinMessageEvents([{ type: 'message_stop' }])).toBeUndefined();
  expect(joinMessageEvents([...events, { type: 'error' }, { type: 'message_stop' }])?.type).toBe('error');
});

test('the last event of a response holds it, and items told before fill an empty output', () => {
  const item = { type: 'message', content: [] };
  const done = { type: 'response.output_item.done', item };
  expect(joinResponseEvents([done])).toBeUndefined();
  const end = { type: 'response.completed', response: { status: 'completed', output: [] } };
  expect(joinResponseEvents([done, end])).toEqual({ status: 'completed', output: [item] });
  expect(joinResponseEvents([{ type: 'error', code: 'rate_limit_exceeded' }])).toEqual({
    error: { code: 'rate_limit_exceeded' },
  });
  expect(joinResponseEvents([{ error: { code: 'x' } }])).toEqual({ error: { code: 'x' } });
});

test('the last whole response counts, with its own items, and after an error too', () => {
  const item = { type: 'message', content: [] };
  const done = { type: 'response.output_item.done', item };
  const added = { type: 'response.output_item.added', item };
  const own = { type: 'reasoning' };
  for (const type of ['response.completed', 'response.incomplete', 'response.failed']) {
    const ended = { type, response: { status: 'x', output: [own] } };
    const earlier = { type: 'response.incomplete', response: { status: 'y' } };
    expect(joinResponseEvents([earlier, done, { type: 'error', code: 'x' }, ended])).toEqual({
      status: 'x',
      output: [own],
    });
    expect(joinResponseEvents([added, done, { type, response: { status: 'x' } }])).toEqual({
      status: 'x',
      output: [item],
    });
    expect(joinResponseEvents([added, { type, response: { status: 'x' } }])).toEqual({ status: 'x' });
    expect(joinResponseEvents([{ type }])).toBeUndefined();
  }
  expect(joinResponseEvents([{ type: 'response.created', response: { output: [] } }])).toBeUndefined();
});
