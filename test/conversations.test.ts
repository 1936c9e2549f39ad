import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { customColumn, DataDesigner, DataDesignerConfigBuilder, type Message, openViewer } from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { type AnsweringServer, openAnsweringServer, reply } from '@data-designer/testing/answering-server';

interface Asked {
  readonly path: string;
  readonly body: {
    readonly model: string;
    readonly system?: string;
    readonly messages?: readonly Sent[];
    readonly input?: readonly Sent[];
    readonly instructions?: string;
    readonly tools?: readonly unknown[];
  };
}

/** A message or an item of a request. */
type Sent = Readonly<Record<string, unknown>>;

let folder: string;
let server: AnsweringServer;
let asked: Asked[] = [];
/** How long the server holds back each answer. */
let latencyMs = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'conversations-'));
  server = await openAnsweringServer((text, response, request) => {
    const body = JSON.parse(text) as Asked['body'];
    const path = String(request.url);
    asked.push({ path, body });
    const [answer, status] = answerTo(path, body, text);
    if (latencyMs === 0) reply(response, answer, { status });
    else setTimeout(() => reply(response, answer, { status }), latencyMs);
  });
});
beforeEach(() => {
  asked = [];
  latencyMs = 0;
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const TOOL_CALL = { name: 'get_fact', arguments: '{"topic":"bees"}' };
const USAGE = { prompt_tokens: 5, completion_tokens: 5, input_tokens: 5, output_tokens: 5 };

/** Says something that depends on the request alone; the model's name chooses how. */
function answerTo(path: string, { model, messages, input, tools }: Asked['body'], text: string): [object, number] {
  const said = messages ?? input ?? [];
  const number = createHash('sha256').update(text).digest().readUInt32BE(0);
  if (model.includes('limited') && said.length > 5) {
    return [{ error: { message: 'maximum context length exceeded', code: 'context_length_exceeded' } }, 400];
  }
  const isAnswered = /"role":"tool"|tool_result|function_call_output/.test(JSON.stringify(said.at(-1)));
  const isCalling = model.includes('calling') || (tools !== undefined && !isAnswered && number % 2 === 0);
  const words = model.includes('empty') ? '' : `${model} ${said.length} ${number}`;
  const stop = model.startsWith('user') && number % 4 === 0 ? ' [DONE]' : '';
  const content = model.includes('endless') ? 'x'.repeat(1_000_000) : words + stop;
  const id = `c${number}`;
  if (path.endsWith('/messages')) {
    const block = isCalling
      ? { type: 'tool_use', id, name: TOOL_CALL.name, input: { topic: 'bees' } }
      : { type: 'text', text: content };
    return [{ content: [block], stop_reason: isCalling ? 'tool_use' : 'end_turn', usage: USAGE }, 200];
  }
  if (path.endsWith('/responses')) {
    const item = isCalling
      ? { type: 'function_call', id: `f${number}`, call_id: id, ...TOOL_CALL }
      : { type: 'message', content: [{ type: 'output_text', text: content }] };
    return [{ status: 'completed', output: [item], usage: USAGE }, 200];
  }
  const called = { tool_calls: [{ id, type: 'function', function: TOOL_CALL }] };
  const message = { role: 'assistant', content: isCalling ? null : content, ...(isCalling ? called : {}) };
  return [{ choices: [{ message, finish_reason: isCalling ? 'tool_calls' : 'stop' }], usage: USAGE }, 200];
}

type Models = Readonly<Record<'user' | 'agent', string>>;

function designerOf(providerType = 'openai') {
  const endpoint = providerType === 'anthropic' ? server.origin : `${server.origin}/v1`;
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint, providerType, apiKey: 'key' }], tools: [] },
    runConfig: { seed: 3, maxConversationRestarts: 1 },
  });
}

function chats(
  { user = 'user', agent = 'agent' }: Partial<Models> = {},
  more: object = {},
  inferenceParameters: { readonly maxParallelRequests?: number } = {},
) {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'user', model: user, provider: 'own', inferenceParameters })
    .addModelConfig({ alias: 'agent', model: agent, provider: 'own', inferenceParameters })
    .addToolConfig({ toolAlias: 'facts', providers: ['demo-tools'] })
    .addColumn({ name: 'topic', columnType: 'sampler', samplerType: 'category', params: { values: ['tea', 'salt'] } })
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({
      name: 'chat',
      columnType: 'conversation',
      turns: { min: 1, max: 4 },
      user: {
        modelAlias: 'user',
        systemPrompt: 'You ask about {{ topic }} {{ id }}.',
        stop: '[DONE]',
        toolAlias: 'facts',
      },
      assistant: { modelAlias: 'agent', systemPrompt: 'You know {{ topic }}.', toolAlias: 'facts' },
      withTrace: true,
      ...more,
    });
}

/** A message in the form in which all three protocols can be compared. */
function plain({ role, content, tool_calls: calls, tool_call_id: id }: Message): unknown[] {
  if (role === 'tool') return [['result', id, content]];
  const made = (calls ?? []).map((call) => ['call', call.id]);
  return [...(content === null ? [] : [[role, content]]), ...made];
}

/** The messages of a request in that form. */
function plainSent({ body: { system, messages, input, instructions } }: Asked): unknown[] {
  const top = system ?? instructions;
  return [...(top === undefined ? [] : [['system', top]]), ...(messages ?? input ?? []).flatMap(plainItem)];
}

function plainItem(item: Sent): unknown[] {
  const { role, type, content } = item;
  if (type === 'function_call') return [['call', item['call_id']]];
  if (type === 'function_call_output') return [['result', item['call_id'], item['output']]];
  if (role === 'tool') return [['result', item['tool_call_id'], content]];
  const calls = (item['tool_calls'] as readonly Sent[] | undefined)?.map((call) => ['call', call['id']]) ?? [];
  if (!Array.isArray(content)) return [...(content === null ? [] : [[role, content]]), ...calls];
  return content.map((part: Sent) => {
    if (part['type'] === 'tool_use') return ['call', part['id']];
    return part['type'] === 'tool_result' ? ['result', part['tool_use_id'], part['content']] : [role, part['text']];
  });
}

/** The requests of each model call that stored conversations imply, in the form in which protocols can be compared. */
async function impliedRequests(records: AsyncIterable<ChatRow>): Promise<readonly string[]> {
  const implied: string[] = [];
  for await (const { chat, chat__turns: turns, chat__user_trace: trace } of records) {
    expect(chat.at(-1)).toMatchObject({ role: 'assistant', tool_calls: null });
    expect(chat.filter(({ role }) => role === 'user')).toHaveLength(turns);
    for (const messages of [chat, trace]) {
      for (const [index, { role }] of messages.entries()) {
        if (role === 'assistant') implied.push(JSON.stringify(messages.slice(0, index).flatMap(plain)));
      }
    }
  }
  return implied.toSorted();
}

interface ChatRow {
  readonly chat: readonly Message[];
  readonly chat__turns: number;
  readonly chat__user_trace: readonly Message[];
}

function sentRequests(): readonly string[] {
  return asked.map((request) => JSON.stringify(plainSent(request))).toSorted();
}

test.each(['openai', 'anthropic', 'openai-responses'])(
  'every request is the prefix that the stored conversation implies: %s',
  { tags: 'long' },
  async (providerType) => {
    await using designer = designerOf(providerType);
    const results = await designer.create(chats(), { numRecords: 12, datasetName: providerType });
    const ends = new Set<string>();
    for await (const row of results.records()) {
      expectTypeOf(row.chat).toEqualTypeOf<readonly Message[]>();
      expectTypeOf(row.chat__end).toEqualTypeOf<'stop' | 'max_turns' | 'user_gave_up' | 'length'>();
      expectTypeOf(row.chat__turns).toEqualTypeOf<number>();
      ends.add(row.chat__end);
    }
    expect(sentRequests()).toEqual(await impliedRequests(results.records() as AsyncIterable<ChatRow>));
    expect(ends).toEqual(new Set(['stop', 'max_turns']));
    expect(results.lost).toEqual([]);
  },
);

test.each([
  { providerType: 'openai', rows: 1000 },
  { providerType: 'anthropic', rows: 200 },
  { providerType: 'openai-responses', rows: 200 },
])(
  '$rows chats of 6 turns with 64 permits send nothing but their prefixes: $providerType',
  { tags: 'long', timeout: 300_000 },
  async ({ providerType, rows }) => {
    latencyMs = 20;
    await using designer = designerOf(providerType);
    const config = chats({ user: 'talker' }, { turns: 6 }, { maxParallelRequests: 64 });
    const results = await designer.create(config, { numRecords: rows, datasetName: `many-${providerType}` });
    expect([results.count, results.lost]).toEqual([rows, []]);
    const implied = await impliedRequests(results.records() as AsyncIterable<ChatRow>);
    expect(implied.length).toBeGreaterThanOrEqual(rows * 12);
    // A comparison of the lists would print all of them.
    expect(createHash('sha256').update(sentRequests().join('\n')).digest('hex')).toBe(
      createHash('sha256').update(implied.join('\n')).digest('hex'),
    );
  },
);

test('a stopped run continues its conversations, and asks nothing twice', { tags: 'long' }, async () => {
  const made = async (datasetName: string, stopAt?: number) => {
    const stop = new AbortController();
    await using designer = designerOf();
    const options = { numRecords: 10, datasetName, resume: 'if_possible' } as const;
    const watch = setInterval(() => stopAt !== undefined && asked.length >= stopAt && stop.abort(), 1);
    try {
      const results = await designer.create(chats(), { ...options, signal: stop.signal });
      return await Array.fromAsync(results.records());
    } catch {
      return undefined;
    } finally {
      clearInterval(watch);
    }
  };
  const undisturbed = await made('whole');
  const all = asked.map(({ body }) => JSON.stringify(body)).toSorted();
  asked = [];
  await made('stopped', Math.floor(all.length / 2));
  const rows = await made('stopped');
  expect(JSON.stringify(rows)).toBe(JSON.stringify(undisturbed));
  const again = asked.map(({ body }) => JSON.stringify(body));
  expect(new Set(again)).toEqual(new Set(all));
  // Requests under way when the run stopped may be sent again.
  expect(again.length - all.length).toBeLessThanOrEqual(4 * 2);
});

test.each([
  ['a user that writes 1 MB', { user: 'guest-endless', agent: 'agent-limited' }, /Turn 3 of the assistant: .*context/],
  ['a user that calls tools that it was not offered', { user: 'guest-calling' }, /Turn 1 of the user: .*has no text/],
  ['an assistant without words', { agent: 'agent-empty' }, /Turn 1 of the assistant: .*The answer is empty/],
])('%s costs its row, with the turn in the reason', { tags: 'long' }, async (_, models, said) => {
  await using designer = designerOf();
  const user = { modelAlias: 'user', systemPrompt: 'You ask about {{ id }}.' };
  const assistant = { modelAlias: 'agent', systemPrompt: 'You know {{ topic }}.' };
  const builder = chats(models, { turns: 5, user, assistant });
  await expect(designer.preview(builder, { numRecords: 2 })).rejects.toThrow(said);
});

test('a conversation of 200 turns is made', { tags: 'long' }, async () => {
  await using designer = designerOf();
  const builder = chats({ user: 'guest' }, { turns: 200 });
  const dataset = await Array.fromAsync((await designer.preview(builder, { numRecords: 1 })).records());
  expect(dataset).toMatchObject([{ chat__turns: 200, chat__end: 'max_turns' }]);
});

test('a context that is full ends the conversation with its last answer on request', { tags: 'long' }, async () => {
  await using designer = designerOf();
  const builder = chats({ user: 'guest', agent: 'agent-limited' }, { turns: 9, onOverflow: 'end' });
  const dataset = await Array.fromAsync((await designer.preview(builder, { numRecords: 2 })).records());
  for (const row of dataset) {
    expect(row).toMatchObject({ chat__end: 'length' });
    expect(row.chat.at(-1)?.role).toBe('assistant');
  }
});

test('columns and functions continue a conversation, and an export holds it whole', { tags: 'long' }, async () => {
  const ask = customColumn({
    requiredColumns: ['chat'],
    modelAliases: ['agent'],
    generate: async (row: { chat: readonly Message[] }, { cell }) => {
      const { value, messages } = await cell.ask({ modelAlias: 'agent', history: row.chat, prompt: 'And then?' });
      return { more: `${value} ${messages.length}` };
    },
  });
  const builder = chats({}, { turns: 2 })
    .addColumn({
      name: 'title',
      columnType: 'llm-text',
      modelAlias: 'agent',
      history: 'chat',
      prompt: 'A title.',
      withTrace: true,
    })
    .addColumn({ name: 'more', columnType: 'custom', generatorFunction: ask });
  await using designer = designerOf();
  const results = await designer.create(builder, { numRecords: 2, datasetName: 'continued' });
  const rows = await Array.fromAsync(results.records());
  const lengths = rows.map(({ chat }) => chat.length);
  const ends = asked.map(({ body }) => body.messages?.at(-1)?.['content']);
  expect(ends.filter((end) => end === 'A title.')).toHaveLength(2);
  for (const { chat, more, title__trace: trace } of rows) {
    expect(more).toMatch(/ 2$/);
    expect(trace).toHaveLength(2);
    expect(JSON.parse(trace[0]?.extra ?? '')).toEqual({ history: { column: 'chat', messages: chat.length } });
  }
  const requests = asked.filter(({ body }) => body.messages?.at(-1)?.['content'] === 'And then?');
  expect(new Set(requests.map(({ body }) => body.messages?.length))).toEqual(
    new Set(lengths.map((length) => length + 1)),
  );
  const path = join(folder, 'chats.jsonl');
  await results.export(path, { format: 'chat-jsonl', column: 'title' });
  const exported = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { messages: unknown[] });
  expect(exported.map(({ messages }) => messages.length)).toEqual(lengths.map((length) => length + 2));
  await results.export(path, { format: 'chat-jsonl', column: 'chat' });
  const [first] = readFileSync(path, 'utf8').split('\n');
  const { tools } = JSON.parse(String(first)) as { readonly tools: readonly { readonly function: object }[] };
  expect(tools[0]?.function).toMatchObject({ name: 'get_fact' });
});

test('a record of the viewer has the conversation, and that of the user', { tags: 'long' }, async () => {
  await using designer = designerOf();
  const results = await designer.create(chats({}, { turns: 2, withTrace: true }), {
    numRecords: 1,
    datasetName: 'seen',
  });
  const [row] = await Array.fromAsync(results.records());
  const stop = new AbortController();
  const viewer = await openViewer(results.path, { signal: stop.signal });
  const [origin = '', token] = viewer.address.split('/#t=');
  const post = (name: string, body: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', cookie };
    return fetch(`${origin}/api/${name}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const entered = await post('token', { token });
  const [cookie] = String(entered.headers.get('set-cookie')).split(';');
  const response = await post('record', { dataset: 'seen', index: 0 }, cookie);
  const { fields, answers } = (await response.json()) as {
    readonly fields: readonly { readonly column: string; readonly conversation?: { readonly messages: unknown[] } }[];
    readonly answers: readonly { readonly column: string }[];
  };
  stop.abort();
  await viewer.ended;
  const shown = new Map(fields.map(({ column, conversation }) => [column, conversation?.messages.length]));
  expect(shown.get('chat')).toBe(row?.chat.length);
  expect(shown.get('chat__user_trace')).toBeGreaterThan(2);
  // The page shows a conversation in the card of an answer, or else as a field.
  expect(answers.map(({ column }) => column)).not.toContain('chat');
});

test.each([
  [{ messages: [] }, /unknown member 'messages'\. Use one of: modelAlias, prompt, history/],
  [{ systemPromt: 'x' }, /unknown member 'systemPromt'\. Did you mean 'systemPrompt'\?/],
  [
    { history: [{ role: 'tool', content: 'x' }] as const },
    /The history 'history of .*' cannot be sent to a model: message 0/,
  ],
])('a question of a function with %j fails its cell', async (more, said) => {
  const ask = customColumn({
    requiredColumns: ['id'],
    modelAliases: ['agent'],
    generate: async (_row, { cell }) => ({
      more: (await cell.ask({ modelAlias: 'agent', prompt: 'Hi', ...more })).value,
    }),
  });
  const builder = new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'agent', model: 'agent', provider: 'own' })
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({ name: 'more', columnType: 'custom', generatorFunction: ask });
  await using designer = designerOf();
  await expect(designer.preview(builder, { numRecords: 1 })).rejects.toThrow(said);
});

test('a history without messages is a mistake of the config', async () => {
  const builder = chats().addColumn({
    name: 'title',
    columnType: 'llm-text',
    modelAlias: 'agent',
    history: 'id',
    prompt: '',
  });
  await using designer = designerOf();
  await expect(designer.preview(builder, { numRecords: 1 })).rejects.toThrow(/the column 'id' has no messages/);
});
