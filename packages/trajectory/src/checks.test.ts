import { describe, expect, test } from 'vitest';
import { COUNTED } from './flaws-of-answer.ts';
import {
  CHECKS,
  type FindingKind,
  type FindingOptions,
  FINDING_KINDS,
  findingsOf,
  flawsOfAnswer,
  readMessages,
  readTools,
} from './index.ts';

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
        required: ['city'],
        additionalProperties: false,
      },
    },
  },
];

const user = (content: string) => ({ role: 'user', content });
const says = (content: string | null, more: object = {}) => ({ role: 'assistant', content, ...more });
const calls = (name: string, args: string, id = 'c1') =>
  says(null, { tool_calls: [{ id, type: 'function', function: { name, arguments: args } }] });
const result = (content: string, id: string | null = 'c1') => ({ role: 'tool', content, tool_call_id: id });

const ASKED = user('How is the weather in Oslo?');
const CALLED = calls('get_weather', '{"city": "Oslo"}');
const OPENING = [{ role: 'system', content: 'You help with the weather.' }, ASKED, CALLED, result('rain')];
const CLEAN = [...OPENING, says('It rains in Oslo.')];

function findings(messages: readonly object[], options: FindingOptions = {}) {
  return findingsOf(readMessages(messages) ?? [], { tools: readTools(TOOLS), ...options });
}

function kindsAt(messages: readonly object[], options: FindingOptions = {}): readonly string[] {
  return findings(messages, options).map(({ message, kind }) => `${message} ${kind}`);
}

const FAILURE = "Error: Tool 'get_weather' failed: no station answers";
const LOOP = 'I am sorry for the confusion in my last message. '.repeat(5);

interface Example {
  readonly messages: readonly object[];
  /** The index of the faulty message. */
  readonly at: number;
  readonly options?: FindingOptions;
}

/** One list of messages with exactly this fault, for each check. */
const FAULTY: Readonly<Record<FindingKind, Example>> = {
  unknown_tool: { messages: [ASKED, calls('find_weather', '{}'), result('rain'), says('It rains.')], at: 1 },
  bad_arguments: {
    messages: [ASKED, calls('get_weather', '{"town": "Oslo"}'), result('rain'), says('It rains.')],
    at: 1,
  },
  missing_result: { messages: [ASKED, CALLED, says('It rains.')], at: 1 },
  stray_result: { messages: [ASKED, result('rain'), says('It rains.')], at: 1 },
  failed_call: { messages: [ASKED, CALLED, result(FAILURE), says('I cannot say.')], at: 2 },
  repeated_call: {
    messages: [ASKED, CALLED, result('rain'), CALLED, result('rain'), CALLED, result('rain'), says('It rains.')],
    at: 5,
  },
  repeats: { messages: [...OPENING, says(LOOP)], at: 4 },
  no_answer: { messages: [ASKED, says('It rains.'), user('Thanks.')], at: 2 },
  empty_turn: { messages: [ASKED, says(' \u200B\n')], at: 1 },
  cut_off: { messages: [ASKED, says('It rains in', { finish_reason: 'length' })], at: 1 },
  raw_markup: { messages: [ASKED, says('It rains.<|im_end|>')], at: 1 },
  speaks_for_user: { messages: [ASKED, says('It rains.\n\nUser: And in Rome?\n\nAssistant: It is dry.')], at: 1 },
  other_identity: { messages: [ASKED, says('I am ChatGPT, and I cannot see the weather.')], at: 1 },
  other_language: {
    messages: [user('How is the weather?'), says('Das ist nicht so einfach, wie es auf der Karte aussieht.')],
    at: 1,
    options: { language: 'en' },
  },
};

describe('every check', () => {
  test.each(FINDING_KINDS)('%s finds its fault, names its message, and can be left out', (kind) => {
    const { messages, at, options = {} } = FAULTY[kind];
    expect(kindsAt(messages, options)).toEqual([`${at} ${kind}`]);
    expect(kindsAt(messages, { ...options, ignore: [kind] })).toEqual([]);
  });

  test('has no finding in a correct conversation', () => {
    expect(kindsAt(CLEAN, { language: 'en', identity: [] })).toEqual([]);
  });
});

const JUST = (text: string) => [ASKED, says(text)];
const LONG =
  'The weather map shows a front over the sea. It moves to the east and brings rain to all of the coast until';

const FURTHER: readonly (readonly [messages: readonly object[], found: readonly string[], options?: FindingOptions])[] =
  [
    [[ASKED, calls('get_weather', '{"city": '), result('?'), says('No.')], ['1 bad_arguments']],
    [[ASKED, calls('get_weather', '{"city":"Oslo","days":"3"}'), result('rain'), says('Rain.')], ['1 bad_arguments']],
    [
      [ASKED, CALLED, result('rain', 'c2'), says('It rains.')],
      ['1 missing_result', '2 stray_result'],
    ],
    [[ASKED, CALLED, result(FAILURE), CALLED, result('rain'), says('It rains.')], []],
    [[ASKED, CALLED, result('rain'), CALLED, result(FAILURE), says('It rains.')], ['4 failed_call']],
    [[...CLEAN, result('rain'), says('It rains in Oslo.')], ['5 stray_result']],
    [
      [ASKED, CALLED],
      ['1 missing_result', '1 no_answer'],
    ],
    [[], ['0 no_answer']],
    [JUST('Let me see. <think>hm'), ['1 raw_markup']],
    [JUST('{"name": "get_weather", "arguments": {"city": "Oslo"}}'), ['1 raw_markup']],
    [JUST('<think>hm</think>\n'), ['1 empty_turn']],
    [JUST('Look:\n```python\nprint(1)\n'), ['1 cut_off']],
    [JUST(LONG), ['1 cut_off']],
    [[ASKED, says(LONG, { finish_reason: 'stop' })], []],
    [JUST('Human: What is the weather in Rome?'), ['1 speaks_for_user']],
    [
      JUST('A prompt:\n\nUser: What is the time?\n\nAssistant: Noon.\nHuman: And in Rome?\nAssistant: Noon as well.'),
      ['1 speaks_for_user'],
    ],
    [
      [
        { role: 'system', content: 'You have a conversation with a user.' },
        ASKED,
        says('It rains.\n\nUser: Is it cold as well?'),
      ],
      ['2 speaks_for_user'],
    ],
    [
      [user('Hi!'), says('I am sorry, I cannot do it.'), user('Why?'), says('I am sorry; I cannot do it!')],
      ['3 repeats'],
    ],
    [
      [user('Hi!'), says('I am sorry, I cannot do it.'), user('Why?'), says('*“I am sorry* — I CANNOT do it')],
      ['3 repeats'],
    ],
    [[user('Hi!'), says('I am sorry, I cannot do it.'), user('Why?'), says('I am sorry. I cannot do as.')], []],
    [JUST('I was developed by OpenAI.'), ['1 other_identity']],
    [JUST('As a large language model trained by Google, I cannot.'), ['1 other_identity']],
    [JUST('Ich bin ein Sprachmodell und wurde von Alibaba entwickelt.'), ['1 other_identity']],
    [JUST('我是由OpenAI开发的人工智能助手。'), ['1 other_identity']],
    [JUST('Это не так просто, как кажется на карте.'), ['0 other_language'], { language: 'ru' }],
    [[user('Como está?'), says('今日は東京でとても良い天気ですね。')], ['1 other_language'], { language: 'pt' }],
    [[user('b'), says('Yes!'), user('b'), says('Yes!'), user('b'), says('Yes!')], ['5 repeats']],
  ];
test.each(FURTHER.map(([messages, found, options]) => ({ messages, found, options })))(
  'finds $found in $messages',
  ({ messages, found, options }) => {
    expect(kindsAt(messages, options)).toEqual(found);
  },
);

const HARMLESS: readonly (readonly [messages: readonly object[], options?: FindingOptions])[] = [
  [JUST('Qwen writes `<tool_call>` before a call, and ChatML ends a message with <|im_end|> as its token.')],
  [JUST('```\n<|im_start|>user\nHi<|im_end|>\n```')],
  [
    JUST(
      'The chorus:\n\nRow, row, row your boat,\nGently down the stream.\nMerrily, merrily, merrily, merrily,\nLife is but a dream.',
    ),
  ],
  [JUST(`| day | sky |\n| --- | --- |\n${'| Mon | rain |\n'.repeat(3)}`)],
  [JUST(`\`\`\`\n${'0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n'.repeat(9)}\`\`\``)],
  [JUST('Ha'.concat('ha'.repeat(12)))],
  [JUST('I can compare ChatGPT by OpenAI with Claude by Anthropic.')],
  [JUST('Some models begin with "I am ChatGPT", which is a mistake.')],
  [JUST('I am Claude Dupont, your host.')],
  [JUST('I was told that Google developed it.')],
  [
    [
      { role: 'system', content: 'You are Qwen, made by Alibaba Cloud.' },
      ASKED,
      says('I am Qwen, created by Alibaba Cloud.'),
    ],
  ],
  [JUST('I am Nemotron.'), { identity: ['Nemotron'] }],
  [JUST('One form:\n\nUser: Is it dry?\n\nAssistant: Yes.\n\nThe other form:\n\nHuman: Is it dry?\n\nAssistant: Yes.')],
  [[user('Write a dialogue of a user and a bot.'), says('User: What is the time?\n\nAssistant: It is noon.')]],
  [
    [
      { role: 'system', content: 'You write short dialogues of a user and a bot.' },
      user('Topic: time'),
      says('User: What is the time?\n\nAssistant: It is noon.'),
    ],
  ],
  [JUST('An example:\n\nUser: What is the time?\n\nAssistant: It is noon.')],
  [JUST('Found it.\n\nUser: jdoe\nStatus: active\nSince: 2021')],
  [JUST('The ticket of\n\nUser: jdoe')],
  [[ASKED, says('You are welcome!'), user('Thanks again!'), says('You are welcome!')]],
  [[ASKED, CALLED, result('rain', null), says('It rains.')]],
  [
    [
      ASKED,
      calls('get_weather', '{"city":"Oslo"}'),
      result('rain'),
      calls('get_weather', '{"city":"Oslo"}'),
      result('sun'),
      calls('get_weather', '{"city":"Oslo"}'),
      result('fog'),
      says('It changes.'),
    ],
  ],
  [
    JUST(
      'Sehr geehrte Frau Berg,\n\nvielen Dank für Ihre Nachricht. Ich melde mich morgen bei Ihnen.\n\nMit freundlichen Grüßen,\nAnna',
    ),
    { language: 'de', ignore: ['other_language'] },
  ],
  [JUST(`- ${LONG}`)],
  [
    JUST(
      'Read the page of the weather service, which explains all of the signs on its maps. It is at https://example.org/weather/signs',
    ),
  ],
  [[user('Wie wird das Wetter?'), says('Es regnet in Oslo, und der Wind ist stark.')], { language: 'de' }],
  [[user('¿Qué tiempo hace?'), says('Para más información, visita la página del servicio.')], { language: 'es' }],
  [[user('今日の天気は?'), says('今日は雨です。Docker を使ってください。')], { language: 'ja' }],
  [[user('天气怎么样？'), says('今天下雨，请带伞。')], { language: 'zh' }],
  [[{ role: 'user', content: [{ type: 'image_url' }] }, says('It is a cat.')]],
];
test.each(HARMLESS.map(([messages, options]) => ({ messages, options })))(
  'has no finding in $messages',
  ({ messages, options }) => {
    expect(findings(messages, options)).toEqual([]);
  },
);

test('a finding says what is wrong', () => {
  const { messages } = FAULTY.repeated_call;
  expect(findings(messages)).toEqual([
    {
      message: 5,
      kind: 'repeated_call',
      reason: "it calls 'get_weather' with the same arguments and the same result for the 3rd time",
    },
  ]);
});

test('the flaws of an answer are the findings of its own messages, and what is before is their context', () => {
  const pair = [user('Thanks!'), says('Bye!')];
  const turn = [ASKED, CALLED, result('rain'), says('User: And tomorrow? Is it dry?')];
  const long = [...OPENING, ...turn, ...turn, ...pair, ...pair, ...pair, user('Go on.'), says(LOOP)];
  const lists = [long, ...Object.values(FAULTY).map(({ messages }) => messages)];
  for (const messages of lists) {
    const read = readMessages(messages) ?? [];
    const rules = { tools: readTools(TOOLS) };
    const found = findingsOf(read, rules);
    for (const first of read.keys()) {
      const own = found.filter(({ message }) => message >= first).map(({ kind }) => kind);
      const flaws = CHECKS.flatMap((check) => ('flaw' in check && own.includes(check.kind) ? [check.flaw] : []));
      expect(flawsOfAnswer(read, { ...rules, first })).toEqual(new Set(flaws));
    }
  }
});

test('a run counts the checks with a flaw', () => {
  expect(COUNTED.map(({ kind }) => kind).toSorted()).toEqual(
    CHECKS.flatMap(({ kind, flaw }) => (flaw === undefined ? [] : [kind])).toSorted(),
  );
});
