import { expect, test } from 'vitest';
import {
  type Cell,
  type CellValue,
  type ChatMessage,
  DataDesignerError,
  type HistoryMessage,
  ParseFailure,
  type Question,
  Random,
  type Row,
  type Surroundings,
} from '@data-designer/core';
import { readForm } from '@data-designer/config';
import { conversation } from './conversation.ts';

const document = {
  name: 'chat',
  column_type: 'conversation',
  turns: 3,
  user: { model_alias: 'user-sim', system_prompt: 'You want {{ goal }}.', stop: '[DONE]' },
  assistant: { model_alias: 'agent', system_prompt: 'You sell {{ goal }}.' },
};
const nothing: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

function column(more: object = {}) {
  const { schema } = conversation;
  return schema.parse(readForm(schema, { ...document, ...more }));
}

/** A request as the model sees it: its messages as texts, `role: content`. */
interface Request {
  readonly model: string;
  readonly messages: readonly string[];
  readonly history: readonly HistoryMessage[];
}

/** An answer of a model: its text, a failure, or the messages of a tool turn before the text. */
type Said = string | DataDesignerError | { readonly messages: readonly ChatMessage[]; readonly extra?: string };

/** A message as `role: content`. */
function textOf({ role, content }: ChatMessage): string {
  return `${role}: ${typeof content === 'string' ? content : 'null'}`;
}

function textsOf(value: CellValue | undefined): readonly string[] | undefined {
  return (value as unknown as readonly ChatMessage[] | undefined)?.map(textOf);
}

/** Makes one cell with models that say these texts in turn. */
async function talk(answers: Readonly<Record<string, readonly Said[]>>, more: object = {}, row: Row = { goal: 'tea' }) {
  const requests: Request[] = [];
  const left = new Map(Object.entries(answers).map(([alias, said]) => [alias, [...said]]));
  const askOf = async (alias: string, question: Question<unknown>) => {
    const history = question.history?.() ?? [];
    const system = question.systemPrompt?.() ?? '';
    const before: ChatMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
    before.push({ role: 'user', content: question.prompt() });
    for (;;) {
      const said = left.get(alias)?.shift() ?? `${alias} has nothing more to say`;
      const all = [...before.slice(0, -1), ...history, ...before.slice(-1)];
      requests.push({ model: alias, messages: all.map(textOf), history });
      if (said instanceof DataDesignerError) throw said;
      const made: readonly ChatMessage[] =
        typeof said === 'string' ? [{ role: 'assistant', content: said.trim() }] : said.messages;
      const extra = typeof said === 'string' ? undefined : said.extra;
      const last = made.at(-1) as ChatMessage;
      try {
        const value = await question.parse(typeof last.content === 'string' ? last.content : '');
        const answersOf = new Map([[last, { model: alias, ...(extra === undefined ? {} : { extra }) }]]);
        const historyLength = history.length;
        return {
          value,
          messages: [...before, ...made],
          answers: answersOf,
          corrections: new Set<ChatMessage>(),
          historyLength,
          modelAlias: alias,
        };
      } catch (thrown) {
        if (!(thrown instanceof ParseFailure) || !left.get(alias)?.length) {
          throw thrown instanceof ParseFailure
            ? new DataDesignerError('model/gave-up', {
                model: alias,
                reason: thrown.message,
                corrections: 0,
                restarts: 1,
              })
            : thrown;
        }
      }
    }
  };
  const ask = async (question: Question<unknown>) => {
    try {
      return await askOf(question.modelAlias, question);
    } catch (thrown) {
      if (question.fallbackModelAlias === undefined) throw thrown;
      return askOf(question.fallbackModelAlias, question);
    }
  };
  const cell = { row, random: Random.of(1, 'chat').at(4), ask } as unknown as Cell;
  const made = (
    conversation as { cell: (config: unknown, setting: object) => (cell: Cell) => Promise<readonly CellValue[]> }
  ).cell;
  const [messages, end, turns, trace] = await made(column(more), { templates: 'secure', constraints: [] })(cell);
  return {
    requests,
    chat: textsOf(messages),
    end,
    turns,
    trace: textsOf(trace),
    messages: messages as unknown as readonly ChatMessage[],
  };
}

const USER = ['Hello', 'Green?', 'How much?'];
const AGENT = ['Welcome', 'Yes', '5'];

test('each request is the one before with one more exchange, and roles are swapped for the user', async () => {
  const { requests, chat, end, turns } = await talk({ 'user-sim': USER, agent: AGENT });
  expect(requests.map(({ model, messages }) => [model, ...messages])).toEqual([
    ['user-sim', 'system: You want tea.', 'user: Write your first message.'],
    ['agent', 'system: You sell tea.', 'user: Hello'],
    ['user-sim', 'system: You want tea.', 'user: Write your first message.', 'assistant: Hello', 'user: Welcome'],
    ['agent', 'system: You sell tea.', 'user: Hello', 'assistant: Welcome', 'user: Green?'],
    [
      'user-sim',
      'system: You want tea.',
      'user: Write your first message.',
      'assistant: Hello',
      'user: Welcome',
      'assistant: Green?',
      'user: Yes',
    ],
    [
      'agent',
      'system: You sell tea.',
      'user: Hello',
      'assistant: Welcome',
      'user: Green?',
      'assistant: Yes',
      'user: How much?',
    ],
  ]);
  expect(chat).toEqual([
    'system: You sell tea.',
    'user: Hello',
    'assistant: Welcome',
    'user: Green?',
    'assistant: Yes',
    'user: How much?',
    'assistant: 5',
  ]);
  expect([end, turns]).toEqual(['max_turns', 3]);
});

test('an opening is the first message of the user, once, and its model sees it as said', async () => {
  const said = { 'user-sim': ['Green?'], agent: AGENT };
  const { requests, chat } = await talk(said, { turns: 2, opening: 'Good day, {{ goal }}!' });
  expect(requests[0]).toMatchObject({ model: 'agent', messages: ['system: You sell tea.', 'user: Good day, tea!'] });
  expect(requests[1]?.messages).toEqual([
    'system: You want tea.',
    'user: Write your first message.',
    'assistant: Good day, tea!',
    'user: Welcome',
  ]);
  expect(chat?.filter((text) => text.includes('Good day'))).toHaveLength(1);
});

test('an opening of white space fails the cell before a request', async () => {
  const talking = talk({ 'user-sim': USER, agent: AGENT }, { opening: ' {{ goal | replace("tea", " ") }}' });
  await expect(talking).rejects.toMatchObject({ code: 'template/empty-render', data: { culprits: [] } });
});

test('the trace of a user whose model was never asked begins with its system message', async () => {
  const { requests, trace } = await talk({ agent: AGENT }, { turns: 1, opening: 'Good day!', with_trace: true });
  expect(requests.map(({ model }) => model)).toEqual(['agent']);
  expect(trace).toEqual(['system: You want tea.', 'user: Write your first message.', 'assistant: Good day!']);
});

test.each([
  ['the phrase alone ends without a message', ['Hello', '[DONE]'], { end: 'stop', turns: 1 }],
  ['what is left around the phrase is no message', ['Hello', '**[DONE]**.'], { end: 'stop', turns: 1 }],
  ['a message with the phrase is answered', ['Hello', 'Thanks! [DONE]'], { end: 'stop', turns: 2 }],
  ['a first message with the phrase is answered', ['Hello [DONE]'], { end: 'stop', turns: 1 }],
  ['an empty message ends it', ['Hello', '  '], { end: 'user_gave_up', turns: 1 }],
  ['a message of characters without width is empty', ['Hello', '\u200B'], { end: 'user_gave_up', turns: 1 }],
  ['all turns', USER, { end: 'max_turns', turns: 3 }],
])('%s', async (_, said, ended) => {
  const made = await talk({ 'user-sim': said, agent: AGENT });
  expect(made).toMatchObject(ended);
  expect(made.chat?.at(-1)).toMatch(/^assistant: /);
  expect(made.chat?.join('\n')).not.toContain('[DONE]');
  const seen = made.requests.filter(({ model }) => model === 'agent').flatMap(({ messages }) => messages);
  expect(seen.join('\n')).not.toContain('[DONE]');
});

test.each([
  ['Thanks! **[DONE]**', 'Thanks!'],
  ['**Thanks!** _[DONE]_ `x`', '**Thanks!**  `x`'],
  ['**Thanks! [DONE]**', '**Thanks! **'],
])('the emphasis of a phrase goes with it: %s', async (said, stored) => {
  const { chat } = await talk({ 'user-sim': ['Hello', said], agent: AGENT });
  expect(chat?.filter((message) => message.startsWith('user: ')).at(-1)).toBe(`user: ${stored}`);
});

test('a first message without text is asked for again, and then fails the cell', async () => {
  expect(await talk({ 'user-sim': ['[DONE]', ...USER], agent: AGENT })).toMatchObject({ turns: 3 });
  await expect(talk({ 'user-sim': ['[DONE]', ''], agent: AGENT })).rejects.toThrow(
    /^Turn 1 of the user: Model 'user-sim' returned no valid answer .*: The first message has no text\./,
  );
});

test('an empty answer is asked for again, and then fails the cell with the turn', async () => {
  expect(await talk({ 'user-sim': USER, agent: ['Welcome', '', ...AGENT] })).toMatchObject({ turns: 3 });
  expect(await talk({ 'user-sim': USER, agent: ['Welcome', '\u200B', ...AGENT] })).toMatchObject({ turns: 3 });
  const failing = talk({ 'user-sim': USER, agent: ['Welcome', '', ''] });
  await expect(failing).rejects.toThrow(/^Turn 2 of the assistant: .*The answer is empty\./);
  await expect(failing).rejects.toMatchObject({ code: 'model/gave-up' });
});

const SCHEMA = {
  type: 'object',
  properties: { done: { type: 'boolean' }, message: { type: 'string' } },
  required: ['done', 'message'],
};

test('a user with a schema ends by done, sees its own JSON, and the assistant its messages', async () => {
  const user = { ...document.user, stop: SCHEMA };
  const said = ['{"done":false,"message":"Hello"}', '{"done":true,"message":"Bye"}'];
  const { requests, chat, end, turns } = await talk({ 'user-sim': said, agent: AGENT }, { user });
  expect([end, turns]).toEqual(['stop', 2]);
  expect(chat?.slice(1)).toEqual(['user: Hello', 'assistant: Welcome', 'user: Bye', 'assistant: Yes']);
  expect(requests[0]?.messages[0]).toMatch(/^system: You want tea\.\n\n[\s\S]*"done"/);
  expect(requests[2]?.messages[2]).toBe(`assistant: ${said[0]}`);
  const ended = await talk({ 'user-sim': [String(said[0]), '{"done":true,"message":""}'], agent: AGENT }, { user });
  expect(ended).toMatchObject({ end: 'stop', turns: 1 });
});

const OVERFLOW = new DataDesignerError('model/context-exceeded', { model: 'agent', status: 400, reason: 'too long' });

test('a full context fails the cell with its turn, or ends the conversation after the last answer', async () => {
  await expect(talk({ 'user-sim': USER, agent: ['Welcome', OVERFLOW] })).rejects.toThrow(/^Turn 2 of the assistant: /);
  const more = { on_overflow: 'end' };
  const ended = await talk({ 'user-sim': USER, agent: ['Welcome', OVERFLOW] }, more);
  expect(ended).toMatchObject({
    end: 'length',
    turns: 1,
    chat: ['system: You sell tea.', 'user: Hello', 'assistant: Welcome'],
  });
  expect(await talk({ 'user-sim': ['Hello', OVERFLOW], agent: AGENT }, more)).toMatchObject({
    end: 'length',
    turns: 1,
  });
  await expect(talk({ 'user-sim': USER, agent: [OVERFLOW] }, more)).rejects.toThrow(/^Turn 1 of the assistant: /);
});

test('a fallback model that takes over writes the rest', async () => {
  const assistant = { ...document.assistant, fallback_model_alias: 'other' };
  const failure = new DataDesignerError('model/gave-up', {
    model: 'agent',
    reason: 'nothing',
    corrections: 0,
    restarts: 0,
  });
  const { requests, end } = await talk(
    { 'user-sim': USER, agent: ['Welcome', failure], other: ['Yes', '5'] },
    { assistant },
  );
  expect(requests.map(({ model }) => model).filter((model) => model !== 'user-sim')).toEqual([
    'agent',
    'agent',
    'other',
    'other',
  ]);
  expect(end).toBe('max_turns');
});

const CALL = { id: 'c', type: 'function', function: { name: 'find', arguments: '{}' } } as const;
const TOOL_TURN = {
  messages: [
    { role: 'assistant', content: null, tool_calls: [CALL], reasoning_content: 'I look' },
    { role: 'tool', content: 'found', tool_call_id: 'c' },
    { role: 'assistant', content: 'Welcome', reasoning_content: 'I know' },
  ],
  extra: '{"provider":"p"}',
} as const;

test('tool calls of the assistant are stored and not shown to the user; reasoning stays behind', async () => {
  const { requests, messages, chat } = await talk({ 'user-sim': USER, agent: [TOOL_TURN, 'Yes'] }, { turns: 2 });
  expect(chat).toEqual([
    'system: You sell tea.',
    'user: Hello',
    'assistant: null',
    'tool: found',
    'assistant: Welcome',
    'user: Green?',
    'assistant: Yes',
  ]);
  expect(messages[2]).toMatchObject({ tool_calls: [CALL], reasoning_content: 'I look' });
  expect(requests[2]?.messages).toEqual([
    'system: You want tea.',
    'user: Write your first message.',
    'assistant: Hello',
    'user: Welcome',
  ]);
  const [, called, , answer] = requests[3]?.history ?? [];
  expect(called).toEqual({ role: 'assistant', content: null, tool_calls: [CALL] });
  expect(answer).toEqual({ role: 'assistant', content: 'Welcome', extra: '{"provider":"p"}' });
});

test('the assistant sees its earlier reasoning on request', async () => {
  const { requests } = await talk({ 'user-sim': USER, agent: [TOOL_TURN, 'Yes'] }, { turns: 2, keep_reasoning: true });
  expect(requests[3]?.history[1]).toMatchObject({ reasoning_content: 'I look' });
});

test("the user's own messages and tool calls are stored on request", async () => {
  const called = {
    messages: [
      { role: 'assistant', content: null, tool_calls: [CALL] },
      { role: 'tool', content: 'found', tool_call_id: 'c' },
      { role: 'assistant', content: 'Green?' },
    ],
  } as const;
  const said = { 'user-sim': ['Hello', called], agent: AGENT };
  const all = await talk(said, { turns: 2, with_trace: true });
  expect(all.trace).toEqual([
    'system: You want tea.',
    'user: Write your first message.',
    'assistant: Hello',
    'user: Welcome',
    'assistant: null',
    'tool: found',
    'assistant: Green?',
  ]);
  expect((await talk(said, { turns: 2, with_trace: 'last_message' })).trace).toEqual(['assistant: Green?']);
  expect((await talk(said, { turns: 2 })).trace).toBeUndefined();
});

test.each([
  [2, 2],
  ['{{ n }}', 1],
  [{ min: 1, max: 1 }, 1],
])('turns %j', async (turns, made) => {
  expect(await talk({ 'user-sim': USER, agent: AGENT }, { turns }, { goal: 'tea', n: 1 })).toMatchObject({
    turns: made,
  });
});

test('drawn turns are within their bounds, and the same for the same row', async () => {
  const drawn = { turns: { min: 1, max: 40 } };
  const [first, second] = [await talk({}, drawn), await talk({}, drawn)];
  expect(first.turns).toBe(second.turns);
  expect(first.turns).toBeGreaterThan(1);
});

test.each([['many'], [0], [1001], [1.5], [null]])('a number of turns of %j fails the cell', async (n) => {
  await expect(talk({}, { turns: '{{ n }} ' }, { goal: 'tea', n })).rejects.toThrow(
    /The number of turns of column 'chat' must be a whole number from 1 to 1000, but is/,
  );
});

function found(more: object) {
  return (conversation.check?.(column(more), nothing) ?? []).map(({ level, field }) => [level, ...field]);
}

test('finds turns that are no number, and a user who is told nothing', () => {
  expect(found({ turns: 'three' })).toEqual([['ERROR', 'turns']]);
  expect(found({ turns: '3' })).toEqual([]);
  expect(found({ turns: '{{ goal }}' })).toEqual([]);
  expect(found({ user: { model_alias: 'user-sim' } })).toEqual([['WARNING', 'user']]);
});

test('writes the messages, the end and the turns, and names what it needs', () => {
  const config = column({ with_trace: true, assistant: { ...document.assistant, tool_alias: 'shop' } });
  expect(conversation.writes(config).map(({ name }) => name)).toEqual([
    'chat',
    'chat__end',
    'chat__turns',
    'chat__user_trace',
  ]);
  expect(conversation.writes(column())).toHaveLength(3);
  expect(conversation.requires?.(config)).toEqual({ models: ['user-sim', 'agent'], tools: ['shop'] });
  expect(conversation.chats?.(config)).toEqual([
    { field: 'chat', tools: ['shop'], hasCorrections: false, end: 'chat__end' },
  ]);
  expect(conversation.requires?.(column({ user: { ...document.user, stop: SCHEMA } }))).toMatchObject({ shaped: true });
  const templates = conversation.templates?.(column({ opening: 'Hi {{ a }}', turns: '{{ n }}' }));
  expect(templates?.map(({ field }) => field.join('.'))).toEqual([
    'turns',
    'opening',
    'user.systemPrompt',
    'assistant.systemPrompt',
  ]);
});

test.each([
  [{ turns: { min: 3, max: 2 } }, ['turns'], /^'min' is 3, which is more than 'max', 2\.$/],
  [
    { user: { ...document.user, stop: { type: 'object' } } },
    ['user', 'stop'],
    /'done' \(true or false\) and 'message'/,
  ],
  [
    { user: { ...document.user, fallback_model_alias: 'user-sim' } },
    ['user', 'fallbackModelAlias'],
    /is also the first model/,
  ],
  [
    { assistant: { ...document.assistant, fallback_model_alias: 'agent' } },
    ['assistant', 'fallbackModelAlias'],
    /is also the first model/,
  ],
])('finds the mistake in %j', (more, field, message) => {
  expect(conversation.check?.(column(more), nothing)).toMatchObject([
    { field, message: expect.stringMatching(message) },
  ]);
  expect(conversation.check?.(column(), nothing)).toEqual([]);
});
