import { expect, test } from 'vitest';
import { stringifyJson, type ToolCall, type ToolSchema } from '@data-designer/core';
import { featuresOf, lackedBy } from './express.ts';
import type { ExampleKind, Examples, Feature, TrainingMessage } from './training-format.ts';
import { FEATURES } from './training-format.ts';
import { TRAINING_FORMATS, trainingFormat as loadFormat, type TrainingFormatName } from './training-formats.ts';

const formats = new Map(
  await Promise.all(TRAINING_FORMATS.map(async (name) => [name, await loadFormat(name)] as const)),
);
const trainingFormat = (name: TrainingFormatName) => formats.get(name)!;

const ORIGIN = { row: 7, values: {} };
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const TOOLS: readonly ToolSchema[] = [
  { type: 'function', function: { name: 'weather', description: 'Weather of a city', parameters: schema } },
];
const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';

function call(id: string, city: string, name = 'weather'): ToolCall {
  return { id, type: 'function', function: { name, arguments: `{"city":"${city}"}` } };
}

function said(role: TrainingMessage['role'], content: TrainingMessage['content'], more: Partial<TrainingMessage> = {}) {
  return { role, content, ...more } as TrainingMessage;
}

const OPENING = [said('system', 'Be brief.'), said('user', 'Weather in Rome and Oslo? 你好')];
const ANSWER = said('assistant', 'Rome 21, Oslo 4.');
const RESULTS = [said('tool', '21 degrees', { tool_call_id: 'c1' }), said('tool', '4 degrees', { tool_call_id: 'c2' })];
const calling = (calls: readonly ToolCall[], more: Partial<TrainingMessage> = {}) =>
  said('assistant', null, { tool_calls: calls, ...more });

/** What is said between the prompt and the answer, and the texts that a record must have. */
const SAID: {
  readonly [Name in Feature]: { readonly messages: readonly TrainingMessage[]; readonly texts: readonly string[] };
} = {
  reasoning: {
    messages: [said('assistant', 'Rome 21, Oslo 4.', { reasoning_content: 'Two cities.' })],
    texts: ['Two cities.'],
  },
  images: {
    messages: [
      said('user', [
        { type: 'text', text: 'Look' },
        { type: 'image', url: PICTURE },
      ]),
      ANSWER,
    ],
    texts: [PICTURE],
  },
  media: { messages: [said('user', [{ type: 'audio', url: 'data:audio/wav;base64,AAAA' }]), ANSWER], texts: ['AAAA'] },
  tools: { messages: [calling([call('c1', 'Rome')]), RESULTS[0]!, ANSWER], texts: ['weather', 'Rome', '21 degrees'] },
  parallel_calls: {
    messages: [calling([call('c1', 'Rome'), call('c2', 'Oslo')]), ...RESULTS, ANSWER],
    texts: ['Rome', 'Oslo', '21 degrees', '4 degrees'],
  },
  text_beside_calls: {
    messages: [calling([call('c1', 'Rome')], { content: 'Let me look.' }), RESULTS[0]!, ANSWER],
    texts: ['Let me look.', '21 degrees'],
  },
  unknown_tools: { messages: [calling([call('c1', 'Rome', 'unheard')]), RESULTS[0]!, ANSWER], texts: ['unheard'] },
  turns: { messages: [calling([call('c1', 'Rome')]), RESULTS[0]!, ANSWER], texts: ['21 degrees', 'Rome 21'] },
};

/** An example of a kind that has a feature. */
function exampleWith(kind: ExampleKind, feature: Feature): Examples[ExampleKind] {
  const { messages } = SAID[feature];
  const talk = feature === 'images' || feature === 'media' ? [OPENING[0]!, ...messages] : [...OPENING, ...messages];
  if (kind === 'chat') return { messages: talk, tools: TOOLS };
  const first = talk.findIndex(({ role }) => role === 'assistant');
  const rejected = [said('assistant', 'No idea.')];
  if (kind === 'pair') return { prompt: talk.slice(0, first), chosen: talk.slice(first), rejected, tools: TOOLS };
  // A task that goes on after an answer has everything in its prompt.
  return { prompt: [...talk, said('user', 'And in Bonn?')], answer: 'Rome 21', tools: TOOLS, info: { level: 'hard' } };
}

const FEATURE_NAMES = Object.keys(FEATURES) as readonly Feature[];
const CASES = TRAINING_FORMATS.flatMap((name) =>
  FEATURE_NAMES.filter((feature) => feature !== 'turns' || trainingFormat(name).kind === 'pair').map(
    (feature) => [name, feature] as const,
  ),
);

/** What becomes of an example with a feature: refused for something that the format lacks, kept, or another fate. */
function outcomeOf(name: TrainingFormatName, feature: Feature): string {
  const format = trainingFormat(name);
  const example = exampleWith(format.kind, feature);
  const lacked = lackedBy(format, example);
  if (lacked.length > 0) {
    const known = format.lacks.map((one) => FEATURES[one]);
    return lacked.every((reason) => known.includes(reason as (typeof known)[number])) ? 'refused' : lacked.join();
  }
  const text = unescaped(stringifyJson(format.toRecord(example, ORIGIN)));
  return SAID[feature].texts.every((part) => text.includes(part)) ? 'kept' : text;
}

test.each(CASES)('%s has a place for %s, or refuses it', (name, feature) => {
  const { kind, lacks } = trainingFormat(name);
  const features = featuresOf(exampleWith(kind, feature));
  expect(features).toContain(feature);
  expect(outcomeOf(name, feature)).toBe(lacks.some((one) => features.has(one)) ? 'refused' : 'kept');
});

/** Records have JSON within texts. */
function unescaped(text: string): string {
  return text.replaceAll('\\"', '"').replaceAll('\\\\', '\\');
}

const OWN_TEXTS: Readonly<Record<ExampleKind, readonly string[]>> = { chat: [], pair: ['No idea.'], task: ['hard'] };

test.each(TRAINING_FORMATS)('%s keeps the prompt, the answer and the tools of a plain example', (name) => {
  const format = trainingFormat(name);
  const plain = {
    chat: { messages: [...OPENING, ANSWER], tools: TOOLS },
    pair: { prompt: OPENING, chosen: [ANSWER], rejected: [said('assistant', 'No idea.')], tools: TOOLS },
    task: { prompt: OPENING, answer: 'Rome 21, Oslo 4.', tools: TOOLS, info: { level: 'hard' } },
  }[format.kind] as Examples[ExampleKind];
  expect(lackedBy(format, plain)).toEqual([]);
  const text = unescaped(stringifyJson(format.toRecord(plain, ORIGIN)));
  const texts = ['Be brief.', '你好', 'Rome 21, Oslo 4.', 'Weather of a city', '"required":["city"]'];
  for (const part of [...texts, ...OWN_TEXTS[format.kind]]) expect(text).toContain(part);
  expect(format.readers).toMatch(/\w/);
});

/** The record of the example with parallel calls. */
function recordOf(name: TrainingFormatName, feature: Feature = 'parallel_calls'): unknown {
  const format = trainingFormat(name);
  return JSON.parse(stringifyJson(format.toRecord(exampleWith(format.kind, feature), ORIGIN)));
}

test('trl-sft has arguments as objects, tools as text, and no null content', () => {
  expect(recordOf('trl-sft')).toEqual({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather in Rome and Oslo? 你好' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: { city: 'Rome' } } },
          { id: 'c2', type: 'function', function: { name: 'weather', arguments: { city: 'Oslo' } } },
        ],
      },
      { role: 'tool', content: '21 degrees', tool_call_id: 'c1', name: 'weather' },
      { role: 'tool', content: '4 degrees', tool_call_id: 'c2', name: 'weather' },
      { role: 'assistant', content: 'Rome 21, Oslo 4.' },
    ],
    tools: JSON.stringify(TOOLS),
  });
});

test('sharegpt alternates, with the results of parallel calls in one turn', () => {
  const { name, description, parameters } = TOOLS[0]!.function;
  expect(recordOf('sharegpt')).toEqual({
    conversations: [
      { from: 'human', value: 'Weather in Rome and Oslo? 你好' },
      {
        from: 'function_call',
        value: '[{"name":"weather","arguments":{"city":"Rome"}},{"name":"weather","arguments":{"city":"Oslo"}}]',
      },
      { from: 'observation', value: '["21 degrees","4 degrees"]' },
      { from: 'gpt', value: 'Rome 21, Oslo 4.' },
    ],
    system: 'Be brief.',
    tools: JSON.stringify([{ name, description, parameters }]),
  });
});

const chat = (messages: readonly TrainingMessage[]) => ({ messages, tools: TOOLS });

test.each([
  ['two users in a row', [said('user', 'a'), said('user', 'b'), ANSWER], 'turns that do not alternate'],
  ['an answer first', [ANSWER, said('user', 'a'), ANSWER], 'turns that do not alternate'],
  ['a late system message', [said('user', 'a'), said('system', 'b'), ANSWER], 'a system message behind'],
  ['a mark of media', [said('user', 'what is <image>?'), ANSWER], '<image>'],
  [
    'a call without result',
    [said('user', 'a'), calling([call('c1', 'Rome')]), ANSWER],
    'a tool call without its result',
  ],
  [
    'arguments that are no object',
    [
      said('user', 'a'),
      calling([{ id: 'c1', type: 'function', function: { name: 'weather', arguments: 'Rome' } }]),
      RESULTS[0]!,
      ANSWER,
    ],
    'no JSON object',
  ],
])('sharegpt refuses %s', (_, messages, reason) => {
  expect(lackedBy(trainingFormat('sharegpt'), chat(messages))[0]).toContain(reason);
});

test('smoltalk2 has instructions, tools, reasoning and calls where its template reads them', () => {
  expect(recordOf('smoltalk2')).toEqual({
    messages: [
      { role: 'user', content: 'Weather in Rome and Oslo? 你好' },
      {
        role: 'assistant',
        content:
          '<tool_call>{"name":"weather","arguments":{"city":"Rome"}}</tool_call>\n<tool_call>{"name":"weather","arguments":{"city":"Oslo"}}</tool_call>',
      },
      { role: 'tool', content: '<tool_response>\n21 degrees\n</tool_response>' },
      { role: 'tool', content: '<tool_response>\n4 degrees\n</tool_response>' },
      { role: 'assistant', content: 'Rome 21, Oslo 4.' },
    ],
    chat_template_kwargs: {
      custom_instructions: 'Be brief.',
      enable_thinking: false,
      python_tools: [],
      xml_tools: [JSON.stringify(TOOLS[0])],
    },
    source: 'data-designer',
  });
  expect(recordOf('smoltalk2', 'reasoning')).toMatchObject({
    messages: [{}, { content: '<think>\nTwo cities.\n</think>\nRome 21, Oslo 4.' }],
    chat_template_kwargs: { enable_thinking: true },
  });
});

const MARKED = '</tool_call> <tool_call>{}</tool_call> <think>\nno\n</think>\n\n';
const marked = {
  id: 'c1',
  type: 'function',
  function: { name: MARKED, arguments: JSON.stringify({ q: MARKED }) },
} as const;

test.each([
  ['sharegpt', /^(.*)$/s],
  ['smoltalk2', /^<tool_call>(.*?)<\/tool_call>$/s],
] as const)('%s has no marks of calls and of reasoning in the JSON of a call', (name, form) => {
  const messages = [said('user', 'a'), calling([marked]), RESULTS[0]!, ANSWER];
  const text = JSON.stringify(trainingFormat(name).toRecord({ messages, tools: [named(MARKED)] }, ORIGIN));
  const record = JSON.parse(text) as Readonly<Record<string, readonly { value?: string; content?: string }[]>>;
  const turn = (record['conversations'] ?? record['messages'])?.[1];
  const written = form.exec(turn?.value ?? turn?.content ?? '')?.[1] ?? '';
  expect(written).not.toMatch(/<\/?(?:think|tool_call)>/);
  expect(JSON.parse(written)).toEqual({ name: MARKED, arguments: { q: MARKED } });
});

test.each([
  ['sharegpt', { reasoning_content: 'a </think> b' }, 'reasoning with </think>'],
  ['smoltalk2', { reasoning_content: 'a <tool_call> b' }, 'reasoning with </think> or <tool_call>'],
  ['smoltalk2', { content: 'It writes <tool_call>.' }, 'a text with <tool_call>'],
] as const)('%s refuses %j, which its reader takes apart', (name, more, reason) => {
  expect(lackedBy(trainingFormat(name), chat([said('user', 'a'), { ...ANSWER, ...more }]))[0]).toContain(reason);
});

test.each(['chat-jsonl', 'openai-ft'] as const)(
  '%s has empty results and names of tools as they are stored',
  (name) => {
    const messages = [
      said('user', 'a'),
      calling([marked]),
      said('tool', '', { tool_call_id: 'c1' }),
      said('assistant', ''),
    ];
    expect(trainingFormat(name).toRecord({ messages, tools: [] }, ORIGIN)).toEqual({ messages });
  },
);

const IMAGE = [{ type: 'image', url: PICTURE }] as const;

test.each([
  ['openai-ft', [said('user', 'a'), said('assistant', IMAGE)], 'an image in an answer'],
  ['nemo-gym', [said('user', 'a'), said('assistant', IMAGE), said('user', 'b')], 'an image in an answer'],
  [
    'nemo-gym',
    [said('user', 'a'), calling([call('c1', 'Rome')]), said('tool', IMAGE, { tool_call_id: 'c1' })],
    'an image in the result of a tool',
  ],
] as const)('%s refuses images where its readers take none', (name, messages, reason) => {
  const example = { messages, prompt: messages, tools: TOOLS, answer: 'x', info: {} };
  expect(lackedBy(trainingFormat(name), example)).toEqual([reason]);
});

test('nemo-gym has the parts of an answer as its text', () => {
  const prompt = [said('user', 'a'), said('assistant', [{ type: 'text', text: 'b' }]), said('user', 'c')];
  const task = { prompt, answer: null, tools: [], info: {} };
  expect(trainingFormat('nemo-gym').toRecord(task, ORIGIN)).toMatchObject({
    responses_create_params: { input: [{}, { type: 'message', role: 'assistant', content: 'b' }, {}] },
  });
});

test('openai-ft refuses arguments that are no JSON object', () => {
  const broken = { ...marked, function: { name: 'weather', arguments: '{"city":' } };
  const messages = [said('user', 'a'), calling([broken]), RESULTS[0]!, ANSWER];
  expect(lackedBy(trainingFormat('openai-ft'), chat(messages))[0]).toContain('no JSON object');
});

test('nemo-gym has the prompt as items of the Responses API, and no answer in it', () => {
  const { name, description, parameters } = TOOLS[0]!.function;
  expect(recordOf('nemo-gym')).toEqual({
    responses_create_params: {
      input: [
        { type: 'message', role: 'system', content: 'Be brief.' },
        { type: 'message', role: 'user', content: 'Weather in Rome and Oslo? 你好' },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Rome"}' },
        { type: 'function_call', call_id: 'c2', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'c1', output: '21 degrees' },
        { type: 'function_call_output', call_id: 'c2', output: '4 degrees' },
        { type: 'message', role: 'assistant', content: 'Rome 21, Oslo 4.' },
        { type: 'message', role: 'user', content: 'And in Bonn?' },
      ],
      tools: [{ type: 'function', name, description, parameters, strict: false }],
      parallel_tool_calls: true,
    },
    expected_answer: 'Rome 21',
    level: 'hard',
  });
});

test('nemo-gym and verifiers refuse values under names that their readers have for themselves', () => {
  const task = { prompt: OPENING, answer: null, tools: [], info: { agent_ref: 1, tool_defs: 2 } };
  expect(lackedBy(trainingFormat('nemo-gym'), task)).toEqual([
    'a value named agent_ref, which NeMo Gym has for itself',
  ]);
  expect(lackedBy(trainingFormat('verifiers'), task)).toEqual(['a value named tool_defs, which holds the tools']);
  expect(lackedBy(trainingFormat('verifiers'), { ...task, info: { oai_tools: 2 } })).toEqual([
    'a value named oai_tools, which verifiers refuses',
  ]);
});

test('verifiers has calls and tools without the wrapper of OpenAI', () => {
  const { name, description, parameters } = TOOLS[0]!.function;
  const prompt = [...OPENING, calling([call('c1', 'Rome')], { reasoning_content: 'One city.' }), RESULTS[0]!];
  const task = { prompt, answer: 'Rome 21', tools: TOOLS, info: { level: 'hard' } };
  expect(trainingFormat('verifiers').toRecord(task, ORIGIN)).toEqual({
    prompt: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather in Rome and Oslo? 你好' },
      {
        role: 'assistant',
        content: '',
        reasoning_content: 'One city.',
        tool_calls: [{ id: 'c1', name: 'weather', arguments: '{"city":"Rome"}' }],
      },
      { role: 'tool', content: '21 degrees', tool_call_id: 'c1' },
    ],
    answer: 'Rome 21',
    info: JSON.stringify({ level: 'hard', tool_defs: [{ name, description, parameters }] }),
    example_id: 7,
  });
});

test('atif has results in the step that called, and the model with its tokens', () => {
  const usage = { input_tokens: 10, output_tokens: 4, cached_input_tokens: null, reasoning_tokens: null };
  const messages = [
    ...OPENING,
    ...SAID.parallel_calls.messages.map((one) => (one.role === 'assistant' ? { ...one, model: 'm-1', usage } : one)),
  ];
  const metrics = { prompt_tokens: 10, completion_tokens: 4 };
  expect(trainingFormat('atif').toRecord(chat(messages), ORIGIN)).toEqual({
    schema_version: 'ATIF-v1.8',
    session_id: 'row-7',
    agent: { name: 'data-designer', version: '1', model_name: 'm-1', tool_definitions: TOOLS },
    steps: [
      { step_id: 1, source: 'system', message: 'Be brief.' },
      { step_id: 2, source: 'user', message: 'Weather in Rome and Oslo? 你好' },
      {
        step_id: 3,
        source: 'agent',
        message: '',
        model_name: 'm-1',
        tool_calls: [
          { tool_call_id: 'c1', function_name: 'weather', arguments: { city: 'Rome' } },
          { tool_call_id: 'c2', function_name: 'weather', arguments: { city: 'Oslo' } },
        ],
        observation: {
          results: [
            { source_call_id: 'c1', content: '21 degrees' },
            { source_call_id: 'c2', content: '4 degrees' },
          ],
        },
        metrics,
      },
      { step_id: 4, source: 'agent', message: 'Rome 21, Oslo 4.', model_name: 'm-1', metrics },
    ],
    final_metrics: { total_prompt_tokens: 20, total_completion_tokens: 8, total_steps: 4 },
  });
});

function named(name: string): ToolSchema {
  return { ...TOOLS[0]!, function: { ...TOOLS[0]!.function, name } };
}

test.each([
  ['a'.repeat(64), 0],
  ['a'.repeat(65), 1],
  ['a.b', 1],
])('openai-ft refuses the names of tools that OpenAI refuses: %s', (name, refusals) => {
  const example = { messages: [...OPENING, ANSWER], tools: [named(name)] };
  expect(lackedBy(trainingFormat('openai-ft'), example)).toHaveLength(refusals);
});
