import { expect, test } from 'vitest';
import {
  type Cell,
  field,
  type Question,
  type Row,
  type Surroundings,
  type TemplateEngine,
  ParseFailure,
} from '@data-designer/core';
import { readForm, writeForm } from '@data-designer/config';
import { llmText, textRecipe } from './llm-text.ts';

const { schema } = llmText;
const document = { name: 'verse', column_type: 'llm-text', prompt: 'On {{ topic }}', model_alias: 'writer' };
const nothing: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

function column(more: object = {}) {
  return schema.parse(readForm(schema, { ...document, ...more }));
}

type Made = Extract<typeof llmText, { cell: unknown }>;

interface Circumstances {
  readonly templates?: TemplateEngine;
  readonly answer?: string;
  /** The answer and the correction before the last answer, and the reasoning of that. */
  readonly corrected?: { readonly reasoning: string };
}

/** Runs a cell on a row: returns its question and the values it writes. */
async function ask(declared: object, row: Row, { templates = 'secure', answer, corrected }: Circumstances = {}) {
  const asked: Question<unknown>[] = [];
  const hum = { role: 'assistant', content: 'Hum.', reasoning_content: ' Bees hum. ' } as const;
  const plain = answer === undefined ? hum : { role: 'assistant', content: answer };
  const last = corrected ? { ...hum, reasoning_content: corrected.reasoning } : plain;
  const first = { role: 'assistant', content: 'no', reasoning_content: 'Wrong.' };
  const before = corrected ? [first, { role: 'user', content: 'Answer again.' }] : [];
  const cell = {
    row,
    ask: (question: Question<unknown>) => {
      asked.push(question);
      const messages = [{ role: 'user', content: 'On bees' }, ...before, last];
      const answers = new Map([[last, { model: 'm-1', usage: null, finish_reason: 'stop' }]]);
      return Promise.resolve({ value: question.parse(last.content), messages, answers });
    },
  };
  const made = (llmText as Made).cell(column(declared), { templates, constraints: [] });
  const written = await made(cell as unknown as Cell);
  const [question] = asked;
  return { prompt: question?.prompt(), systemPrompt: question?.systemPrompt?.(), question, written };
}

test('declares its prompts as templates, and reads nothing else', () => {
  const config = column({ system_prompt: 'You are {{ who }}.' });
  expect(llmText.templates?.(config)).toEqual([
    { source: 'On {{ topic }}', field: ['prompt'], role: 'prompt', mayBeSame: false },
    { source: 'You are {{ who }}.', field: ['systemPrompt'], role: 'system-prompt' },
  ]);
  expect(llmText.reads?.(config)).toEqual([]);
});

test('ignores an empty system prompt', async () => {
  expect(llmText.templates?.(column({ system_prompt: '' }))).toHaveLength(1);
  expect(await ask({ system_prompt: '' }, { topic: 'bees' })).toMatchObject({ systemPrompt: undefined });
});

test.each([
  ['no context', {}, false],
  ['an empty one', { multi_modal_context: [] }, true],
  ['a column of pictures', { multi_modal_context: [{ column_name: 'photo' }] }, true],
])('allows the same prompt in every row, with %s: %s', (_, more, mayBeSame) => {
  expect(llmText.templates?.(column(more))).toMatchObject([{ mayBeSame }]);
});

test('reads the columns of its media context', () => {
  const multi_modal_context = [{ column_name: 'photo' }, { modality: 'audio', column_name: 'song' }];
  expect(llmText.reads?.(column({ multi_modal_context }))).toEqual([
    { name: 'photo', field: ['multiModalContext', 0, 'columnName'] },
    { name: 'song', field: ['multiModalContext', 1, 'columnName'] },
  ]);
});

test('builds the media of a question from the row', async () => {
  const row = { topic: 'bees', photo: 'http://a.example/bee' };
  const { question } = await ask({ multi_modal_context: [{ column_name: 'photo' }] }, row);
  expect(await question?.media?.()).toEqual([{ type: 'image', url: 'http://a.example/bee' }]);
  expect((await ask({ multi_modal_context: [] }, row)).question?.media).toBeUndefined();
});

test('invalid media fails only when loaded, and the error names the column', async () => {
  const { question } = await ask({ multi_modal_context: [{ column_name: 'photo' }] }, { topic: 'bees', photo: null });
  await expect(question?.media?.()).rejects.toThrow(/column 'photo'/);
});

test('a fallback model is required and named in the question', async () => {
  const config = column({ fallback_model_alias: 'spare' });
  expect(llmText.requires?.(config)).toEqual({ models: ['writer', 'spare'], tools: [] });
  expect((await ask({ fallback_model_alias: 'spare' }, { topic: 'x' })).question).toMatchObject({
    fallbackModelAlias: 'spare',
  });
  expect(llmText.check?.(config, nothing)).toEqual([]);
});

test('the check warns about a fallback to the same model', () => {
  const config = column({ fallback_model_alias: 'writer' });
  expect(llmText.requires?.(config)).toMatchObject({ models: ['writer'] });
  expect(llmText.check?.(config, nothing)).toMatchObject([
    { type: 'same_fallback', level: 'WARNING', field: ['fallbackModelAlias'] },
  ]);
});

test.each(['drop_row', 'null', 'abort'])('on_failure accepts %s', (on_failure) => {
  expect(column({ on_failure })).toMatchObject({ onFailure: on_failure });
});

test('on_failure accepts null without quotes', () => {
  expect(column({ on_failure: null })).toMatchObject({ onFailure: 'null' });
});

test('on_failure and fallback_model_alias are written only if set', () => {
  const keys = ['on_failure', 'fallback_model_alias'];
  expect(Object.keys(writeForm(schema, column()) as object)).not.toEqual(expect.arrayContaining(keys));
  const given = { on_failure: 'null', fallback_model_alias: 'spare' };
  expect(writeForm(schema, column(given))).toMatchObject(given);
  expect(schema.safeParse(readForm(schema, { ...document, on_failure: 'retry' })).success).toBe(false);
});

test('the cell excludes thinking from the text of an answer', async () => {
  const { written } = await ask({}, { topic: 'bees' }, { answer: '<think>Bees hum?</think>Hum.' });
  expect(written).toEqual(['Hum.']);
});

test.each([
  [{}, 'none', ['verse']],
  [{ with_trace: 'none' }, 'none', ['verse']],
  [{ with_trace: false }, 'none', ['verse']],
  [{ with_trace: true }, 'all_messages', ['verse', 'verse__trace']],
  [{ with_trace: 'all_messages' }, 'all_messages', ['verse', 'verse__trace']],
  [{ with_trace: 'last_message' }, 'last_message', ['verse', 'verse__trace']],
  [{ extract_reasoning_content: 'yes' }, 'none', ['verse', 'verse__reasoning_content']],
])('%j traces %s and writes %j', (more, withTrace, names) => {
  const config = column(more);
  expect(config.withTrace).toBe(withTrace);
  expect(llmText.writes(config).map(({ name }) => name)).toEqual(names);
  expect(llmText.writes(config)[0]).toEqual(field('verse', 'utf8'));
});

test('requires a model, and tools if it names some', () => {
  expect(llmText.requires?.(column())).toEqual({ models: ['writer'], tools: [] });
  expect(llmText.requires?.(column({ tool_alias: 'facts' }))).toEqual({ models: ['writer'], tools: ['facts'] });
});

test('an empty prompt and an empty alias load', () => {
  expect(column({ prompt: '', model_alias: '' })).toMatchObject({ prompt: '', modelAlias: '' });
});

test.each(['prompt', 'model_alias'])('does not load without %s', (key) => {
  expect(schema.safeParse(readForm(schema, { ...document, [key]: null })).success).toBe(false);
});

test('sends both rendered prompts and writes the answer, the trace and the reasoning', async () => {
  const more = { system_prompt: 'You are {{ who }}.', with_trace: 'last_message', extract_reasoning_content: true };
  const stored = { model: 'm-1', usage: null, finish_reason: 'stop' };
  const { prompt, systemPrompt, question, written } = await ask(more, { topic: 'bees', who: 'Ada' });
  expect({ prompt, systemPrompt }).toEqual({ prompt: 'On bees', systemPrompt: 'You are Ada.' });
  expect(question).toMatchObject({ modelAlias: 'writer', toolAlias: undefined });
  expect(written).toMatchObject([
    'Hum.',
    [{ role: 'assistant', content: 'Hum.', reasoning_content: ' Bees hum. ', ...stored }],
    'Bees hum.',
  ]);
});

test.each([
  ['Right.', 'Right.'],
  [' \n', null],
  ['', null],
])('the reasoning after a correction is that of the last answer: %j is stored as %j', async (reasoning, stored) => {
  const declared = { extract_reasoning_content: true };
  const { written } = await ask(declared, { topic: 'bees' }, { corrected: { reasoning } });
  expect(written).toEqual(['Hum.', stored]);
});

test('renders prompts with the template engine of the run', async () => {
  const row = { topic: ['bees', 'salt'] };
  const joined = "On {{ topic | join(' and ') }}";
  expect(await ask({ prompt: joined }, row, { templates: 'native' })).toMatchObject({ prompt: 'On bees and salt' });
  const refused = expect.objectContaining({ code: 'template/unsupported-filter' }) as Error;
  await expect(ask({ prompt: joined }, row)).rejects.toThrow(refused);
  await expect(ask({ system_prompt: joined }, row)).rejects.toThrow(refused);
});

test('a written config loads as the same config', () => {
  const config = column({ with_trace: true, multi_modal_context: [{ column_name: 'photo', ignored: 1 }] });
  expect(schema.parse(readForm(schema, writeForm(schema, config)))).toEqual(config);
});

test.each([
  ['  Some *words* <b>kept</b>\n\n```js\nx\n```\n', 'Some *words* <b>kept</b>\n\n```js\nx\n```'],
  ['', ''],
  ['<think>Bees?</think>\n\nBees hum.', 'Bees hum.'],
  ['Bees?\n</think>\n\nBees hum.', 'Bees hum.'],
  ['<think>Bees?</think>', ''],
  ['Use <think> to begin.', 'Use <think> to begin.'],
])('%j is read as the text %j', (answer, text) => {
  expect(textRecipe.parse(answer)).toBe(text);
});

test('rejects unclosed thinking with a message for the model', () => {
  expect(() => textRecipe.parse('<think>Bees? Or')).toThrow(ParseFailure);
});

const chooses = (allow_tools: unknown) => ({ tool_alias: 'facts', allow_tools });

test.each([
  ['{{ tools }}', ['get', 'put', 'get'], ['get', 'put']],
  ['{{ tools }}', '["get"]', ['get']],
  ["{{ [tools, 'put'] }}", 'get', ['get', 'put']],
  ['["{{ tools }}"]', 'get', ['get']],
  ['{{ tools }}', [], []],
])('the template %s offers the tools of the row %j', async (template, tools, offered) => {
  const { question } = await ask(chooses(template), { topic: 'bees', tools });
  expect(question?.allowTools).toEqual(offered);
});

test.each([['get'], [[1]], [{ get: true }], [null], ['["get"']])(
  'a template of tools that gives %j fails the cell',
  async (tools) => {
    await expect(ask(chooses('{{ tools }}'), { topic: 'bees', tools })).rejects.toMatchObject({
      code: 'column/bad-tools',
      data: { column: 'verse' },
    });
  },
);

test('a list of tools is offered to every row, and known to the plan', async () => {
  const { question } = await ask(chooses(['get', 'put']), { topic: 'bees' });
  expect(question?.allowTools).toEqual(['get', 'put']);
  const choices = (given: unknown) => llmText.requires?.(column(chooses(given))).toolChoices;
  expect(choices(['get'])).toEqual([{ alias: 'facts', tools: ['get'] }]);
  expect(choices('{{ tools }}')).toEqual([{ alias: 'facts', tools: null }]);
});

test('a template of tools is one of the templates that a column reads', () => {
  expect(llmText.templates?.(column(chooses('{{ tools }}')))).toContainEqual({
    source: '{{ tools }}',
    field: ['allowTools'],
    role: 'value',
  });
});

test.each([
  [{ allow_tools: ['get'] }, "'allow_tools' chooses among the tools of 'tool_alias', which is not given."],
  [chooses('tools'), "'tools' is neither a list of tools nor a template."],
  [chooses('{{ tools }}'), undefined],
])('the check of tools %j finds %j', (given, message) => {
  expect(llmText.check?.(column(given), nothing)[0]?.message).toBe(message);
});
