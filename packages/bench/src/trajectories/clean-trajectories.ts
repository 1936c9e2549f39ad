import { Random } from '@data-designer/core';
import type { Language } from '@data-designer/trajectory';
import { pick, SENTENCE_LANGUAGES, sentence, sentences } from './sentences.ts';

/** A message as seeds and traces hold it. */
export interface WrittenMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly WrittenCall[] | null;
  readonly tool_call_id?: string | null;
  readonly finish_reason?: string | null;
}

interface WrittenCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A conversation with its language; its tools are `TOOLS`. */
export interface WrittenTrajectory {
  readonly messages: readonly WrittenMessage[];
  readonly language: Language;
}

const tool = (name: string, properties: Readonly<Record<string, object>>, required: readonly string[]) => ({
  type: 'function',
  function: {
    name,
    description: name,
    parameters: { type: 'object', properties, required, additionalProperties: false },
  },
});

/** The tools of all conversations. */
export const TOOLS = [
  tool('find_order', { id: { type: 'string', pattern: '^[A-Z]\\d{4}$' } }, ['id']),
  tool('list_parcels', { customer: { type: 'integer' }, state: { enum: ['open', 'sent', 'lost'] } }, ['customer']),
  tool('move_money', { from: { type: 'string' }, to: { type: 'string' }, amount: { type: 'number', minimum: 0 } }, [
    'from',
    'to',
    'amount',
  ]),
  tool('get_time', {}, []),
  tool('wait_for', { job: { type: 'string' } }, ['job']),
];

/** A call that the schema of its tool accepts. */
export function writeCall(random: Random): WrittenCall {
  const id = `call_${random.below(1e9)}`;
  const calls: readonly (readonly [string, object])[] = [
    ['find_order', { id: `${pick(random, ['A', 'K', 'Z'])}${1000 + random.below(9000)}` }],
    ['list_parcels', { customer: random.below(1e6), state: pick(random, ['open', 'sent', 'lost']) }],
    ['move_money', { from: `A${random.below(99)}`, to: `B${random.below(99)}`, amount: random.below(1000) / 4 }],
    ['get_time', {}],
    ['wait_for', { job: `job-${random.below(99)}` }],
  ];
  const [name, args] = pick(random, calls);
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

/** Answers that resemble faults and are none. */
const HARD: readonly ((random: Random) => string)[] = [
  () =>
    'Qwen writes `<tool_call>` before each call, and `</tool_call>` after it; Llama 3 ends a turn with <|eot_id|> instead.',
  () => '```xml\n<think>\nThis is only an example.\n</think>\n<|im_end|>\n```\nThe block above shows the format.',
  (random) =>
    `Here is the list:\n\n${Array.from({ length: 6 }, (_, at) => `- Part ${at + 1}: ${random.below(99)} pieces`).join('\n')}`,
  (random) =>
    `| day | parcels |\n| --- | --- |\n${Array.from({ length: 5 }, () => `| Monday | ${random.below(3)} |`).join('\n')}`,
  () => '```python\nfor row in rows:\n    print(row)\n    print(row)\n    print(row)\n```',
  () => 'I can compare ChatGPT by OpenAI with Claude by Anthropic, but I am neither a lawyer nor a doctor.',
  () => 'A good first line is "I am Claude, your assistant", if that is the name of your product.',
  (random) => `The account was found.\n\nUser: user_${random.below(99)}\nStatus: active\nSince: 2021`,
  () => 'An example of a prompt:\n\nUser: What is the time?\n\nAssistant: It is noon.',
  () => 'Dear Ms Berg,\n\nthank you for your message. We will call you on Monday.\n\nKind regards,\nAnna',
  () => 'Row, row, row your boat,\ngently down the stream.\nMerrily, merrily, merrily, merrily,\nlife is but a dream.',
  () => 'You are welcome!',
  () => 'Yes.',
  (random) => `The total is $\\frac{${random.below(9)}}{7}$, so about ${random.below(9)}.`,
  (random) => `{"status": "open", "parcels": ${random.below(9)}}`,
  (random) => `${sentences(random, 'en', 3)} See https://example.org/orders/${random.below(999)}`,
  () => 'No, no, no, no! That is wrong, wrong, wrong.',
  () => `Use <s>the old price</s> the new price, or press [INST] on the keypad.`,
];

/** A conversation without a fault. */
export function writeTrajectory(seed: number): WrittenTrajectory {
  const random = Random.of(seed, 'trajectory');
  const language = random.below(10) < 6 ? 'en' : pick(random, SENTENCE_LANGUAGES);
  const hasReasons = random.below(2) === 0;
  const messages: WrittenMessage[] = [];
  if (random.below(3) > 0) messages.push({ role: 'system', content: 'You are the help desk of a shop.' });
  const turns = 1 + random.below(5);
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: 'user', content: `${sentence(random, language)} ${turn + 1}?` });
    if (random.below(3) > 0) messages.push(...toolTurns(random, hasReasons));
    messages.push(says(answer(random, language, turn), hasReasons ? 'stop' : null));
  }
  return { messages, language };
}

function answer(random: Random, language: Language, turn: number): string {
  const isHard = language === 'en' && random.below(4) === 0;
  return isHard ? pick(random, HARD)(random) : `${sentences(random, language, 1 + random.below(6))} (${turn + 1})`;
}

/** A message of the assistant. */
export function says(content: string, finishReason: string | null = null): WrittenMessage {
  return { role: 'assistant', content, tool_calls: null, finish_reason: finishReason };
}

/** One to three turns of calls with their results; a job is asked for twice, as programs that wait do. */
function toolTurns(random: Random, hasReasons: boolean): readonly WrittenMessage[] {
  return Array.from({ length: 1 + random.below(3) }).flatMap(() => {
    const calls = Array.from({ length: 1 + random.below(2) }, () => writeCall(random));
    const turn = callTurn(calls, () => `{"ok":true,"n":${random.below(1e6)}}`, hasReasons ? 'tool_calls' : null);
    if (random.below(8) > 0) return turn;
    const job = 100 + random.below(1e6);
    return [...turn, ...poll(random, job), ...poll(random, job)];
  });
}

/** Asks for the state of a job. */
function poll(random: Random, job: number): readonly WrittenMessage[] {
  const called = { name: 'wait_for', arguments: `{"job":"job-${job}"}` };
  return callTurn(
    [{ id: `call_${random.below(1e9)}`, type: 'function', function: called }],
    () => '{"state":"pending"}',
  );
}

/** A turn with calls, and their results. */
export function callTurn(
  calls: readonly WrittenCall[],
  result: () => string,
  finishReason: string | null = null,
): readonly WrittenMessage[] {
  return [
    { role: 'assistant', content: null, tool_calls: calls, finish_reason: finishReason },
    ...calls.map(({ id }): WrittenMessage => ({ role: 'tool', content: result(), tool_call_id: id })),
  ];
}
