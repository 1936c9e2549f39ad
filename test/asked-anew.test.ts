import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOptions, DataDesigner } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { modelProvider } from '@data-designer/config';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';

const ROWS = 12;
const SHAPE = { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] };

/** What the server is asked, word by word, and what it says to that; undefined for no answer at all. */
type Say = (prompt: string) => string | undefined;

let folder: string;
let server: AnsweringServer;
let asked: string[];
let say: Say;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'asked-anew-'));
  asked = [];
  server = await openAnsweringServer((body, response) => {
    const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: string }[] };
    const prompt = messages[0]?.content ?? '';
    asked.push(prompt.slice(0, prompt.indexOf('.')));
    const content = say(prompt);
    if (content !== undefined) reply(response, completion(content, { prompt_tokens: 10, completion_tokens: 1 }));
  });
});

afterEach(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const ID = { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} };
const FIRST = { name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: 'Word {{ id }}.' };
const SECOND = {
  name: 'b',
  column_type: 'llm-structured',
  output_format: SHAPE,
  model_alias: 'writer',
  prompt: 'Quiz {{ id }}. {{ a }}',
  on_failure: 'abort',
};

async function create(columns: readonly object[], options: CreateOptions = {}) {
  const here = modelProvider.parse({ name: 'here', endpoint: `${server.origin}/v1` });
  await using designer = new DataDesigner({
    artifactPath: folder,
    providers: { models: [here], tools: [] },
    runConfig: { seed: 3, bufferSize: 4, maxConversationRestarts: 1 },
  });
  const parameters = { max_parallel_requests: 4 };
  const model = { alias: 'writer', model: 'm', provider: 'here', structured_output: false };
  const document = {
    model_configs: [{ ...model, inference_parameters: parameters }],
    columns: [ID, ...columns],
  };
  return await designer.create({ document, source: 'the test' }, { numRecords: ROWS, datasetName: 'made', ...options });
}

const isLast = (prompt: string): boolean => prompt.startsWith('Last');
const isQuiz = (prompt: string): boolean => prompt.startsWith('Quiz');
const never: Say = (prompt) => (isQuiz(prompt) ? 'I would rather not.' : 'word');
const well: Say = (prompt) => (isQuiz(prompt) ? '{"x": 1}' : 'word');
const quizzes = () => asked.filter(isQuiz);
const words = () => asked.filter((prompt) => !isQuiz(prompt));

test('a resume re-requests a failed cell with on_failure abort and nothing else', { tags: 'long' }, async () => {
  say = never;
  await expect(create([FIRST, SECOND])).rejects.toMatchObject({
    code: 'run/cell-failed',
    data: { column: 'b', code: 'model/gave-up' },
  });
  const before = asked;
  asked = [];
  say = well;
  const { count, usage } = await create([FIRST, SECOND], { resume: 'always' });
  expect(count).toBe(ROWS);
  // One good answer to each quiz, and only the words that were never said.
  expect(quizzes().toSorted()).toEqual([...new Set(quizzes())].toSorted());
  expect(quizzes()).toHaveLength(ROWS);
  expect(words().filter((prompt) => before.includes(prompt))).toEqual([]);
  // Wrong answers were paid for as well as good ones.
  const { requests, failedRequests, inputTokens } = usage.writer ?? { requests: 0, failedRequests: 0, inputTokens: 0 };
  expect(requests - failedRequests).toBe(before.length + asked.length);
  expect(inputTokens).toBe(10 * (before.length + asked.length));
});

test(
  'each resume requests a failed cell once more and fails while the model answers wrongly',
  { tags: 'long' },
  async () => {
    say = never;
    await expect(create([FIRST, SECOND])).rejects.toMatchObject({ code: 'run/cell-failed' });
    const wordsBefore = new Set(words());
    for (let resumes = 0; resumes < 3; resumes++) {
      asked = [];
      await expect(create([FIRST, SECOND], { resume: 'always' })).rejects.toMatchObject({
        code: 'run/cell-failed',
        data: { code: 'model/gave-up' },
      });
      expect(quizzes().length).toBeGreaterThan(0);
      expect(words().filter((prompt) => wordsBefore.has(prompt))).toEqual([]);
      for (const prompt of words()) wordsBefore.add(prompt);
    }
    asked = [];
    say = well;
    expect((await create([FIRST, SECOND], { resume: 'always' })).count).toBe(ROWS);
    expect(quizzes()).toHaveLength(ROWS);
  },
);

test('a resume replays a failed cell that its column may lose, without a request', async () => {
  const quiz = { ...SECOND, on_failure: 'null' };
  const last = { ...FIRST, name: 'c', prompt: 'Last {{ id }}. {{ b }}' };
  const stop = new AbortController();
  say = (prompt) => {
    // Four requests at a time: now every place is taken by one that is never answered.
    if (isLast(prompt) && asked.filter(isLast).length === 4) stop.abort();
    return isLast(prompt) ? undefined : never(prompt);
  };
  await expect(create([FIRST, quiz, last], { signal: stop.signal })).rejects.toMatchObject({ code: 'run/aborted' });
  const failed = new Set(asked.filter(isLast).map((prompt) => prompt.replace('Last', 'Quiz')));
  asked = [];
  say = well;
  const results = await create([FIRST, quiz, last], { resume: 'always' });
  expect(results.count).toBe(ROWS);
  expect(quizzes().filter((prompt) => failed.has(prompt))).toEqual([]);
  const records = (await Array.fromAsync(results.records())) as { readonly b: unknown }[];
  expect(records.filter(({ b }) => b === null).length).toBeGreaterThanOrEqual(failed.size);
  const logged = readFileSync(join(folder, 'made', 'failures.jsonl'), 'utf8');
  expect(logged).toContain('model/gave-up');
});
