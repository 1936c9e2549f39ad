import { Random } from '@data-designer/core';
import { type FindingKind, FINDING_KINDS } from '@data-designer/trajectory';
import {
  callTurn,
  says,
  writeCall,
  writeTrajectory,
  type WrittenMessage,
  type WrittenTrajectory,
} from './clean-trajectories.ts';
import { pick, SENTENCE_LANGUAGES, sentence, sentences } from './sentences.ts';

/** A conversation with one fault, and the message that has it. */
export interface PlantedTrajectory extends WrittenTrajectory {
  readonly kind: FindingKind;
  readonly at: number;
}

/** The messages with a fault, and the index of its message. */
type Planted = readonly [messages: readonly WrittenMessage[], at: number];
type Plant = (trajectory: WrittenTrajectory, random: Random) => Planted;

/** Replaces the text of the last answer. */
function lastText(write: (text: string, random: Random) => string, reason?: string): Plant {
  return ({ messages }, random) => {
    const last = messages.at(-1);
    const text = write(last?.content ?? '', random);
    return [[...messages.slice(0, -1), says(text, reason ?? last?.finish_reason)], messages.length - 1];
  };
}

/** Inserts messages before the last answer; `fault` is the index of the faulty one among them. */
function beforeLast(write: (random: Random) => readonly WrittenMessage[], fault = 0): Plant {
  return ({ messages }, random) => {
    const at = messages.length - 1;
    return [[...messages.slice(0, at), ...write(random), ...messages.slice(at)], at + fault];
  };
}

function call(random: Random, name: string, args: string): readonly WrittenMessage[] {
  return callTurn(
    [{ id: `call_${random.below(1e9)}`, type: 'function', function: { name, arguments: args } }],
    () => 'ok',
  );
}

const MARKUP = [
  '<tool_call>\n{"name": "find_order", "arguments": {"id": "A1000"}}\n</tool_call>',
  '<function=find_order><parameter=id>A1000</parameter></function>',
  '[TOOL_CALLS][{"name": "get_time", "arguments": {}}]',
  '<|im_end|>',
  '<|im_end|>\n<|im_start|>user\n',
  '<|eot_id|><|start_header_id|>user<|end_header_id|>',
  '<end_of_turn>',
  '</s>',
  '\n<think>\nThe user wants to know more, so',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function',
];
const CLAIMS = [
  'I am ChatGPT, a language model trained by OpenAI.',
  "I'm Claude, made by Anthropic, and I can help you with that.",
  'As an AI language model developed by OpenAI, I cannot see your orders.',
  'As a large language model, trained by Google, I do not know it.',
  'My name is Gemini. How can I help you?',
  'I was created by DeepSeek.',
  'Ich bin ein Sprachmodell und wurde von OpenAI entwickelt.',
  'Je suis un assistant développé par Mistral AI.',
  '我是通义千问，很高兴为您服务。',
];

const PLANTS: Readonly<Record<FindingKind, readonly Plant[]>> = {
  unknown_tool: [
    beforeLast((random) => call(random, 'find_orders', '{"id":"A1000"}')),
    beforeLast((random) => call(random, 'functions.get_time', '{}')),
    beforeLast((random) => call(random, '', '{}')),
  ],
  bad_arguments: [
    beforeLast((random) => call(random, 'find_order', '{"id": "A10')),
    beforeLast((random) => call(random, 'find_order', '{"order":"A1000"}')),
    beforeLast((random) => call(random, 'find_order', '{"id":"1000"}')),
    beforeLast((random) => call(random, 'list_parcels', '{"customer":"77"}')),
    beforeLast((random) => call(random, 'list_parcels', '{"customer":7,"state":"late"}')),
    beforeLast((random) => call(random, 'move_money', '{"from":"A","to":"B","amount":-1}')),
    beforeLast((random) => call(random, 'get_time', '[]')),
  ],
  missing_result: [
    beforeLast((random) => callTurn([writeCall(random)], () => 'ok').slice(0, 1)),
    beforeLast((random) => callTurn([writeCall(random), writeCall(random)], () => 'ok').slice(0, 2)),
  ],
  stray_result: [
    beforeLast((random) => callTurn([writeCall(random)], () => 'ok').slice(1)),
    beforeLast((random) => {
      const turn = callTurn([writeCall(random)], () => 'ok');
      return [...turn, ...turn.slice(1)];
    }, 2),
  ],
  failed_call: [
    beforeLast((random) => {
      const sent = writeCall(random);
      return callTurn([sent], () => `Error: Tool '${sent.function.name}' failed: the bank is closed`);
    }, 1),
  ],
  repeated_call: [
    beforeLast((random) => {
      const { function: called } = writeCall(random);
      return Array.from({ length: 4 }).flatMap(() => call(random, called.name, called.arguments));
    }, 4),
    beforeLast((random) => {
      const forms = [
        '{"from":"A","to":"B","amount":5}',
        '{"to":"B","from":"A","amount":5}',
        '{"amount": 5, "from": "A", "to": "B"}',
      ];
      return forms.flatMap((form) => call(random, 'move_money', form));
    }, 4),
  ],
  repeats: [
    lastText((_, random) => `${sentence(random, 'en')} `.repeat(3 + random.below(30))),
    lastText((text, random) => `${text}\n\n${`I apologize for the confusion. `.repeat(6 + random.below(90))}I apolo`),
    lastText((text, random) => `${text} ${`${sentences(random, 'en', 2)}\n\n`.repeat(4)}`),
    ({ messages }) => {
      const text = 'I am sorry for the confusion, let me look at it once more.';
      return [
        [...messages, { role: 'user', content: 'And?' }, says(text), { role: 'user', content: 'Well?' }, says(text)],
        messages.length + 3,
      ];
    },
    ({ messages }) => {
      const pair = [{ role: 'user', content: 'Thanks, bye!' } as const, says('Bye!')];
      return [[...messages, ...pair, ...pair, ...pair], messages.length + 5];
    },
  ],
  no_answer: [
    ({ messages }) => [[...messages, { role: 'user', content: 'And the other one?' }], messages.length],
    ({ messages }, random) => {
      const turn = callTurn([writeCall(random)], () => 'ok');
      return [[...messages, { role: 'user', content: 'And the other one?' }, ...turn], messages.length + 2];
    },
  ],
  empty_turn: [
    lastText(() => ''),
    lastText(() => ' \n'),
    lastText(() => '\u200B'),
    lastText(() => '<think>They ask for the order.</think>\n'),
    ({ messages }) => [[...messages, { role: 'user', content: '' }, says('Is there more?')], messages.length],
  ],
  cut_off: [
    lastText((text) => text.slice(0, Math.ceil(text.length * 0.6)), 'length'),
    lastText((text) => text.slice(0, Math.ceil(text.length * 0.8)), 'max_tokens'),
    lastText((text) => `${text}\n\n\`\`\`python\nfor row in rows:\n    pri`),
    ({ messages }, random) => {
      const text = `${sentences(random, 'en', 5)} Our team has looked at the other parcels and`;
      return [[...messages.slice(0, -1), says(text)], messages.length - 1];
    },
  ],
  raw_markup: [
    lastText((text, random) => `${text}${pick(random, MARKUP)}`),
    lastText((text, random) => `${pick(random, MARKUP.slice(0, 4))}\n${text}`),
    lastText(() => '{"name": "get_time", "arguments": {}}'),
  ],
  speaks_for_user: [
    lastText((text, random) => `${text}\n\nUser: ${sentence(random, 'en')}\n\nAssistant: ${sentence(random, 'en')}`),
    lastText((text, random) => `${text}\nHuman: ${sentence(random, 'en')}\nAssistant: ${sentence(random, 'en')}`),
    lastText((text) => `${text}\n\nUser: And what about the other one?`),
    lastText((_, random) => `User: ${sentence(random, 'en')}`),
  ],
  other_identity: [
    lastText((_, random) => pick(random, CLAIMS)),
    lastText((text, random) => `${pick(random, CLAIMS)} ${text}`),
  ],
  other_language: [
    ({ messages, language }, random) => {
      const other = pick(
        random,
        SENTENCE_LANGUAGES.filter((one) => one !== language),
      );
      const last = says(sentences(random, other, 3));
      return [[...messages.slice(0, -1), last], messages.length - 1];
    },
  ],
};

/** So many conversations of each kind of fault. */
export function plantFaults(perKind: number, seed = 1): readonly PlantedTrajectory[] {
  return FINDING_KINDS.flatMap((kind, index) =>
    Array.from({ length: perKind }, (_, number) => {
      const at = seed * 1e6 + index * 1e5 + number;
      const random = Random.of(at, kind);
      const clean = writeTrajectory(at);
      const [messages, fault] = pick(random, PLANTS[kind])(clean, random);
      return { kind, messages, at: fault, language: clean.language };
    }),
  );
}
