import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChatCompletion } from '../openai/completion-body.ts';
import { type RunningSimulator, startSimulator } from '../start-simulator.ts';

const ajv = new Ajv2020();
const schema = {
  type: 'object',
  properties: {
    quality: {
      type: 'object',
      properties: { reasoning: { type: 'string' }, score: { enum: ['1', '2', '3'] } },
      required: ['reasoning', 'score'],
    },
  },
  required: ['quality'],
};
const isJudgement = ajv.compile(schema);
const inPrompt = `<response_schema>\n${JSON.stringify(schema)}\n</response_schema>`;

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator[Symbol.asyncDispose]());

async function choiceOf(content: string, others: object = {}) {
  const messages = [{ role: 'user', content }];
  const response = await simulator.post({ model: 'sim-small', messages, ...others });
  return ((await response.json()) as ChatCompletion).choices[0];
}

async function contentOf(content: string, others: object = {}): Promise<string> {
  return (await choiceOf(content, others)).message.content ?? '';
}

function fenced(content: string, language: string): string | undefined {
  return new RegExp(`\`\`\`${language}\\n([^]*?)\\n\`\`\``).exec(content)?.[1];
}

test('response_format json_schema gives valid JSON without a fence', async () => {
  const format = { response_format: { type: 'json_schema', json_schema: { name: 'judgement', schema } } };
  for (let index = 0; index < 20; index++) {
    expect(isJudgement(JSON.parse(await contentOf(`Judge text ${index}.`, format)))).toBe(true);
  }
});

test('response_format json_object gives an object', async () => {
  const content = await contentOf('Describe bicycles.', { response_format: { type: 'json_object' } });
  expect(JSON.parse(content)).toMatchObject({ answer: expect.any(String) });
});

test('a schema in the prompt gives valid fenced JSON, also after a correction', async () => {
  const messages = [{ role: 'user', content: `Judge this text.\n${inPrompt}` }];
  for (let turn = 0; turn < 3; turn++) {
    const response = await simulator.post({ model: 'sim-small', messages });
    const content = ((await response.json()) as ChatCompletion).choices[0].message.content ?? '';
    expect(isJudgement(JSON.parse(fenced(content, 'json') ?? ''))).toBe(true);
    messages.push({ role: 'assistant', content }, { role: 'user', content: `Wrong ${turn}. Try again.` });
  }
});

test('a prompt may name the tag of the schema before it writes the schema, as the Python tool does', async () => {
  const content = await contentOf(`Rate the essay. The schema stands within <response_schema> tags.\n\n${inPrompt}`);
  expect(isJudgement(JSON.parse(fenced(content, 'json') ?? ''))).toBe(true);
});

test('wrong-schema gives JSON that does not match the schema', async () => {
  for (let index = 0; index < 20; index++) {
    const content = await contentOf(`Judge text ${index}.\n${inPrompt}`, { model: 'sim-wrong-schema' });
    expect(isJudgement(JSON.parse(fenced(content, 'json') ?? ''))).toBe(false);
  }
});

test.each([
  ['Put it in a fence that starts with ```python and ends with ```.', 'python'],
  ['Write code in python that counts bicycles.', 'python'],
  ['Write a query that counts bicycles, in `sql`.', 'sql'],
  ['Write your code in the language. Use a markdown fence: ```cobol', 'cobol'],
  ['Fence it as ```brainfuck', 'brainfuck'],
])('%s gives a block of that language', async (question, language) => {
  expect(fenced(await contentOf(question), language)).not.toBe('');
});

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_fact',
      description: 'Gives a fact. Topics: bees, coffee, salt.',
      parameters: {
        type: 'object',
        properties: { topic: { type: 'string' }, count: { type: 'integer', minimum: 1, maximum: 3 } },
        required: ['topic'],
        additionalProperties: false,
      },
    },
  },
];
const FACT = 'Coffee is brewed from seeds.';
const areArguments = ajv.compile(tools[0]?.function.parameters ?? false);

/** Answers every tool call with a fact until the model is done; returns its turns. */
async function converse(content: string, functions: readonly object[] = tools.map((tool) => tool.function)) {
  const offered = functions.map((one) => ({ type: 'function', function: one }));
  const messages: object[] = [{ role: 'user', content }];
  const turns: ChatCompletion['choices'][0][] = [];
  for (let round = 0; round < 5; round++) {
    const response = await simulator.post({ model: 'sim-small', messages, tools: offered });
    const [turn] = ((await response.json()) as ChatCompletion).choices;
    turns.push(turn);
    const calls = turn.message.tool_calls ?? [];
    if (calls.length === 0) break;
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: FACT }));
    messages.push(turn.message, ...results);
  }
  return turns;
}

test(
  'the model calls a tool with valid arguments for some rounds, then quotes its result',
  { tags: 'long' },
  async () => {
    const turnCounts = new Set<number>();
    const callCounts = new Set<number>();
    for (let index = 0; index < 40; index++) {
      const turns = await converse(`Use the tool to write line ${index} about coffee.`);
      const last = turns.at(-1);
      expect(last?.finish_reason).toBe('stop');
      expect(last?.message.content).toContain(FACT);
      const calls = turns.flatMap(({ message }) => message.tool_calls ?? []);
      for (const call of calls) {
        expect(call.id).toMatch(/^call_[0-9a-f]{24}$/);
        const given = JSON.parse(call.function.arguments) as { topic: string };
        expect([areArguments(given), given.topic]).toEqual([true, 'coffee']);
      }
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
      turnCounts.add(turns.length);
      for (const { message } of turns) callCounts.add(message.tool_calls?.length ?? 0);
    }
    expect(turnCounts).toEqual(new Set([2, 3]));
    expect(callCounts).toEqual(new Set([0, 1, 2]));
  },
);

/** The numbers of tool calls in 20 conversations, with a tool of these parameters. */
async function callsOf(properties: object): Promise<readonly number[]> {
  const offered = { name: 'get_fact', parameters: { type: 'object', properties, required: Object.keys(properties) } };
  const turns = await Promise.all(
    Array.from({ length: 20 }, (_, index) => converse(`Use the tool on the topic "salt" for ${index}.`, [offered])),
  );
  return turns.map((turn) => turn.flatMap(({ message }) => message.tool_calls ?? []).length);
}

test('a tool is not called twice with the same arguments, unless it has none', async () => {
  expect(new Set(await callsOf({ topic: { type: 'string' } }))).toEqual(new Set([1]));
  expect(Math.max(...(await callsOf({})))).toBeGreaterThan(1);
});

const transfer = {
  name: 'transfer',
  parameters: { type: 'object', properties: { note: { type: 'string' }, amount: { type: 'integer' } } },
};

test('an agent makes the calls that the question spells out, each as often as it says, and no others', async () => {
  const counts = new Set<number>();
  for (let index = 0; index < 20; index++) {
    const first = { amount: index, note: 'a {brace} "and" a quote' };
    const again = '{"amount":7,"for":{"who":"Mia"}}';
    const order = `Do: transfer ${JSON.stringify(first)}, then transfer ${again}, then transfer ${again}. Not: other {}.`;
    const turns = await converse(order, [transfer]);
    const made = turns.flatMap(({ message }) => message.tool_calls ?? []).map((call) => call.function);
    const ordered = [JSON.stringify(first), again, again].map((args) => ({ name: 'transfer', arguments: args }));
    expect(made).toEqual(ordered.slice(0, made.length));
    counts.add(made.length);
  }
  // It forgets some, so that attempts at a conversation differ.
  expect(counts).toEqual(new Set([0, 1, 2, 3]));
});

test('an object that plans calls asks for them in its request', async () => {
  const call = { properties: { name: { enum: ['transfer'] }, arguments: transfer.parameters } };
  const planned = {
    type: 'object',
    properties: {
      request: { type: 'string' },
      task_id: { type: 'string', pattern: '^t[0-9]$' },
      calls: { type: 'array', minItems: 1, items: { type: 'object', ...call, required: ['name', 'arguments'] } },
    },
    required: ['request', 'task_id', 'calls'],
  };
  const format = { response_format: { type: 'json_schema', json_schema: { name: 'plan', schema: planned } } };
  const plan = JSON.parse(await contentOf('Invent a task.', format)) as {
    readonly request: string;
    readonly task_id: string;
    readonly calls: readonly { readonly name: string; readonly arguments: object }[];
  };
  const order = plan.calls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args)}`);
  expect(plan.request).toBe(`Please make these calls: ${order.join(', then ')}.`);
  expect(plan.task_id).toMatch(/^t\d$/);
});

test('a sentence about the subject of the question uses words of the tool result', async () => {
  const content = (await converse('Tell a nurse something about coffee. Use the tool.')).at(-1)?.message.content ?? '';
  const [fact, rest = ''] = content.split('\n');
  expect(fact).toBe(FACT);
  expect(rest).toContain('coffee');
  expect(rest).not.toMatch(/nurse|something|tool/);
});

test('a prompt that does not ask for a tool may get no call, unless tool_choice decides', async () => {
  const reasons = new Set<string>();
  for (let index = 0; index < 20; index++) {
    reasons.add((await choiceOf(`Write line ${index} about coffee.`, { tools })).finish_reason);
    const required = { tools, tool_choice: 'required' };
    expect((await choiceOf(`Write line ${index}.`, required)).finish_reason).toBe('tool_calls');
    const none = { tools, tool_choice: 'none' };
    expect((await choiceOf(`Use the tool for ${index}.`, none)).finish_reason).toBe('stop');
  }
  expect(reasons).toEqual(new Set(['stop', 'tool_calls']));
});

/** The answers to a user's message about bees, with a system message. */
async function answersTo(system: string, count: number, ...earlier: readonly object[]) {
  const asked = Array.from({ length: count }, (_, index) => [
    { role: 'system', content: `${system} Row ${index}.` },
    ...earlier,
    { role: 'user', content: 'Write your first message.' },
  ]);
  const responses = await Promise.all(asked.map((messages) => simulator.post({ model: 'sim-small', messages })));
  const bodies = await Promise.all(responses.map((response) => response.json() as Promise<ChatCompletion>));
  return bodies.map(({ choices }) => choices[0].message.content ?? '');
}

test('a simulated user takes its subject and the schema of its answers from the system message', async () => {
  for (const text of await answersTo('You ask about lighthouses.', 10)) expect(text).toContain('lighthouses');
  for (const text of await answersTo(`You ask about lighthouses.\n${inPrompt}\n`, 10)) {
    expect(isJudgement(JSON.parse(fenced(text, 'json') ?? ''))).toBe(true);
  }
});

function ending(texts: readonly string[]): number {
  return texts.filter((text) => text.endsWith('[DONE]')).length;
}

test('a simulated user sometimes writes the stop phrase of its system message, but not at first', async () => {
  const system = 'You ask about lighthouses. Write [DONE] at the end.';
  expect(ending(await answersTo(system, 20))).toBe(0);
  const earlier = [
    { role: 'user', content: 'Write your first message.' },
    { role: 'assistant', content: 'What is a lighthouse?' },
  ];
  const ended = ending(await answersTo(system, 20, ...earlier));
  expect(ended).toBeGreaterThan(0);
  expect(ended).toBeLessThan(20);
});
