import { type Case, type Example, type Fields, said, saidIn } from './example.ts';

const TOPICS = ['tea 茶', 'salt 🧂 & "pepper"', 'ёлка\nand a second line', 'a <tag> \\ and a tab\t'];
const model_alias = 'writer';
const ASKED = { model_alias, with_trace: 'all_messages' };
/** A text that is longer than the buffers on the way. */
const LONG = `Answer from the tools. ${'All of these words are of no use. '.repeat(600)}`;
const COLUMNS = [
  { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: TOPICS } },
  { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
  { name: 'question', column_type: 'expression', expr: 'What of {{ topic }}, {{ id }}?' },
  {
    ...ASKED,
    name: 'tooled',
    column_type: 'llm-text',
    tool_alias: 'demo',
    system_prompt: LONG,
    prompt: 'Use the tools: {{ question }}',
  },
  { ...ASKED, name: 'plain', column_type: 'llm-text', prompt: '{{ question }}' },
  {
    name: 'chat',
    column_type: 'conversation',
    turns: { min: 2, max: 4 },
    user: { model_alias: 'plain', system_prompt: 'You ask about {{ topic }} {{ id }}.' },
    assistant: { model_alias, tool_alias: 'demo', system_prompt: 'Be brief about {{ topic }}.' },
    with_trace: true,
  },
  { ...ASKED, name: 'draft', column_type: 'llm-text', prompt: 'In one line: {{ question }}' },
  { name: 'score', column_type: 'expression', expr: '{{ draft | length }}', dtype: 'int' },
];

/** A dataset of models that reason and call tools. */
export const MADE = {
  data_designer: {
    model_configs: [
      { alias: model_alias, model: 'sim-reasoning', provider: 'simulator' },
      { alias: 'plain', model: 'sim-small', provider: 'simulator' },
    ],
    tool_configs: [{ tool_alias: 'demo', providers: ['demo'] }],
    columns: COLUMNS,
    attempts: [{ name: 'tries', columns: ['draft', 'score'], keep: { pair: 'score' }, max: 3 }],
  },
};

const CHATS = ['trl-sft', 'sharegpt', 'openai-ft', 'smoltalk2', 'atif', 'chat-jsonl'] as const;
const PAIRS = ['trl-preference', 'openai-preference'] as const;
const TASKS = ['nemo-gym', 'verifiers'] as const;
const WITH_TOOLS = { column: 'tooled', trace: 'tooled__trace' };
/** The columns with conversations, and where these are. */
export const TRACES = [WITH_TOOLS, { column: 'plain', trace: 'plain__trace' }, { column: 'chat', trace: 'chat' }];

const dataset = 'made';
const reasoningOf = (format: string) => (format.startsWith('openai') ? { reasoning: false } : { reasoning: true });

/** The exports of the dataset, by conversations, by attempts and by columns. */
export const MADE_CASES: readonly Case[] = [
  ...CHATS.flatMap((format) =>
    TRACES.map(({ column, trace }): Case => ({
      format,
      dataset,
      name: `conversations of ${column}`,
      options: { column, ...reasoningOf(format) },
      expect: (row) => ({ messages: saidIn(row[trace]) }),
    })),
  ),
  ...CHATS.map((format): Case => ({
    format,
    dataset,
    name: 'mapped columns',
    options: { map: { prompt: 'question', completion: 'plain' } },
    expect: ({ question, plain }) => ({ messages: [said('user', question), said('assistant', plain)] }),
  })),
  ...PAIRS.map((format): Case => ({
    format,
    dataset,
    name: 'pairs of attempts',
    options: reasoningOf(format),
    expect: pairOf,
  })),
  ...[...PAIRS, 'preference-jsonl' as const].map((format): Case => ({
    format,
    dataset,
    name: 'mapped columns',
    options: { map: { prompt: 'question', chosen: 'draft', rejected: 'plain' } },
    expect: ({ question, draft, plain }) => ({
      prompt: [said('user', question)],
      chosen: [said('assistant', draft)],
      rejected: [said('assistant', plain)],
    }),
  })),
  ...TASKS.map((format): Case => ({
    format,
    dataset,
    name: 'conversations of tooled',
    options: { column: WITH_TOOLS.column },
    expect: (row) => {
      const messages = saidIn(row[WITH_TOOLS.trace]);
      const first = messages.findIndex(({ role }) => role === 'assistant');
      return { prompt: messages.slice(0, first), answer: messages.at(-1)?.text };
    },
  })),
  ...TASKS.map((format): Case => ({
    format,
    dataset,
    name: 'mapped columns',
    options: { map: { prompt: 'question', answer: 'plain', 'info.topic': 'topic' } },
    expect: ({ question, plain, topic }) => ({ prompt: [said('user', question)], answer: plain, info: { topic } }),
  })),
];

function pairOf(row: Fields): Example {
  const [chosen, rejected] = ['chosen', 'rejected'].map((side) => {
    const attempt = row[`tries__${side}`] as Fields;
    return saidIn(attempt['draft__trace']);
  });
  return { prompt: chosen?.slice(0, -1), chosen: chosen?.slice(-1), rejected: rejected?.slice(-1) };
}
