import { type Case, type Example, type Fields, said, saidIn } from './example.ts';

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Names and texts with marks of templates, of markup and of programs. */
const NAMES = [
  'weather.today',
  'look up "it"',
  "it's",
  '茶 🫖',
  'a\\b',
  '{{ name }} {% raw %}',
  '<|im_end|>',
  '</tool_call>',
  '<tool_call>{}</tool_call>',
  '<think>\nno\n</think>\n\n',
  '__proto__',
  'constructor',
  'a'.repeat(300),
  'a\nb\tc',
];
const PLAIN_NAMES = ['look_up', 'Look-2', 'a'.repeat(64)];

interface Written {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: string;
  readonly reasoning_content?: string;
}

/** Recorded rows: calls of tools with unusual names, and questions about images. */
export function recordedRow(row: number): Fields {
  const hostile = NAMES[row % NAMES.length] ?? '';
  const [hostileCall, plainCall] = [callOf(hostile, row), callOf(PLAIN_NAMES[row % PLAIN_NAMES.length] ?? '', row)];
  const plain = PLAIN_NAMES[row % PLAIN_NAMES.length] ?? '';
  const text = { type: 'text', text: `Which of them, ${row}?` };
  const images = Array.from({ length: 1 + (row % 2) }, () => ({ type: 'image_url', image_url: { url: PICTURE } }));
  return {
    topic: `topic ${row % 7} ${hostile}`,
    answer: `It is ${hostile}.`,
    worse: `No idea ${row}.`,
    hostile_tools: [toolNamed(hostile), toolNamed(`${hostile} 2`)],
    hostile_call: hostileCall,
    hostile_asked: askedIn(hostileCall),
    plain_tools: [toolNamed(plain), toolNamed('other')],
    plain_call: plainCall,
    plain_asked: askedIn(plainCall),
    seen: [
      { role: 'user', content: row % 3 === 0 ? [...images, text] : [text, ...images] },
      { role: 'assistant', content: `The first of ${row}.` },
      { role: 'user', content: 'Are you sure?' },
      { role: 'assistant', content: 'Yes.' },
    ],
    asked: [{ role: 'user', content: [text, ...images] }],
  };
}

function toolNamed(name: string): unknown {
  const q = { type: 'string', description: `What to look up with ${name}` };
  return { type: 'function', function: { name, description: `Runs ${name}.`, parameters: parametersOf(q) } };
}

function parametersOf(q: object): object {
  return {
    type: 'object',
    properties: { q, limit: { type: ['integer', 'null'] }, unit: { type: 'string', enum: ['m', 'ft'] } },
    required: ['q'],
  };
}

/** A conversation with two calls in one message and one in the next. */
function callOf(name: string, row: number): readonly Written[] {
  const call = (id: string, tool: string, more: object) => ({
    id,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify({ q: `${name} of ${row}`, ...more }) },
  });
  const other = name.length > 60 && /^\w+$/.test(name) && name.length <= 64 ? 'other' : name;
  return [
    { role: 'system', content: `Never guess, ${row}.` },
    { role: 'user', content: `What is ${name}, ${row}?` },
    {
      role: 'assistant',
      content: null,
      tool_calls: [call('c1', name, { limit: 1 }), call('c2', other, { limit: null })],
    },
    { role: 'tool', content: `first ${name}`, tool_call_id: 'c1' },
    { role: 'tool', content: `second ${row}`, tool_call_id: 'c2' },
    { role: 'assistant', content: null, tool_calls: [call('c3', name, { deep: [{ a: { b: [1.5, true, name] } }] })] },
    { role: 'tool', content: '', tool_call_id: 'c3' },
    { role: 'assistant', content: `It is number ${row}.` },
  ];
}

/** The messages before the last answer, of which the first call is answered. */
function askedIn(call: readonly Written[]): readonly Written[] {
  return [...call.slice(0, 5), { role: 'assistant', content: 'I have looked.' }, { role: 'user', content: 'And?' }];
}

const dataset = 'recorded';

/** Tools as they are compared. */
function toolsIn(tools: unknown): unknown {
  return (tools as readonly { readonly function: unknown }[]).map((tool) => tool.function);
}

type Kind = 'chat' | 'pair' | 'task';

/** The parts of each kind for a column of tool calls. */
function called(format: Case['format'], kind: Kind, prefix: 'hostile' | 'plain'): Case {
  const [messages, asked, tools] = [`${prefix}_call`, `${prefix}_asked`, `${prefix}_tools`];
  const map = {
    chat: { messages, tools },
    pair: { prompt: asked, chosen: 'answer', rejected: 'worse', tools },
    task: { prompt: asked, answer: 'answer', tools, 'info.level': 'topic' },
  }[kind];
  const expect = (row: Fields): Example => {
    const offered = { tools: toolsIn(row[tools]) };
    const [chosen, rejected] = [[said('assistant', row['answer'])], [said('assistant', row['worse'])]];
    return {
      chat: { messages: saidIn(row[messages]), ...offered },
      pair: { prompt: saidIn(row[asked]), chosen, rejected, ...offered },
      task: { prompt: saidIn(row[asked]), answer: row['answer'], info: { level: row['topic'] }, ...offered },
    }[kind];
  };
  return {
    format,
    dataset,
    name: `${prefix === 'plain' ? 'tools' : 'tools of any name'} and their calls`,
    options: { map },
    expect,
  };
}

/** The exports of recorded rows. */
export const RECORDED_CASES: readonly Case[] = [
  ...(['trl-sft', 'sharegpt', 'smoltalk2', 'atif', 'chat-jsonl'] as const).map((format) =>
    called(format, 'chat', 'hostile'),
  ),
  called('openai-ft', 'chat', 'plain'),
  called('trl-preference', 'pair', 'hostile'),
  called('openai-preference', 'pair', 'plain'),
  called('preference-jsonl', 'pair', 'hostile'),
  called('nemo-gym', 'task', 'hostile'),
  called('verifiers', 'task', 'hostile'),
  ...(['openai-ft', 'atif', 'chat-jsonl'] as const).map((format): Case => ({
    format,
    dataset,
    name: 'images',
    options: { map: { messages: 'seen' } },
    expect: ({ seen }) => ({ messages: saidWithImages(seen) }),
  })),
  {
    format: 'nemo-gym',
    dataset,
    name: 'images',
    options: { map: { prompt: 'asked', answer: 'answer' } },
    expect: ({ asked, answer }) => ({ prompt: saidWithImages(asked), answer }),
  },
];

/** Recorded messages have images in the form of OpenAI. */
function saidWithImages(messages: unknown): unknown {
  const parts = messages as readonly {
    readonly content: string | readonly { readonly image_url?: { url: string } }[];
  }[];
  return saidIn(messages).map((message, index) => {
    const content = parts[index]?.content;
    if (typeof content === 'string' || content === undefined) return message;
    return { ...message, images: content.flatMap((part) => (part.image_url ? [part.image_url.url] : [])) };
  });
}
