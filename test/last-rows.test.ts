import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, type DataDesignerOptions } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';

const ROWS = 8;
const PLACES = 4;

let folder: string;
let server: AnsweringServer;
/** What was asked for, in order. */
let asked: string[];
/** Answers that wait until every place is taken. */
let held: (() => void)[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'last-rows-'));
  asked = [];
  held = [];
  server = await openAnsweringServer(async (body, response) => {
    asked.push(/Say (\w+)/.exec(body)?.[1] ?? '');
    // One answer once all places are taken, the next once that place is: requests come in the order they were sent in.
    await new Promise<void>((resolve) => {
      held.push(resolve);
      if (asked.length >= ROWS + PLACES) for (const letGo of held.splice(0)) letGo();
      else if (held.length === PLACES) held.shift()?.();
    });
    reply(response, completion('word'));
  });
});

afterEach(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** Makes as many rows as are open together, each a chain of two answers. */
async function make(runConfig: DataDesignerOptions['runConfig'] = {}): Promise<void> {
  const endpoint = `${server.origin}/v1`;
  const model = { name: 'here', endpoint, providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null };
  const providers = { models: [model], tools: [] } as const;
  await using designer = new DataDesigner({ artifactPath: folder, providers, runConfig });
  const inference_parameters = { max_parallel_requests: PLACES };
  const pricing = { input: 1, output: 1 };
  const document = {
    model_configs: [{ alias: 'writer', model: 'm', provider: 'here', pricing, inference_parameters }],
    columns: [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
      { name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say first {{ id }}' },
      { name: 'b', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say second {{ a }}' },
    ],
  };
  const { count } = await designer.create({ document, source: 'test' }, { numRecords: ROWS });
  expect(count).toBe(ROWS);
}

test('the last rows of a run proceed together', async () => {
  await make();
  expect(asked).toEqual([...Array<string>(ROWS).fill('first'), ...Array<string>(ROWS).fill('second')]);
});

test('with a budget or a time limit rows are finished in order', async () => {
  await make({ maxCost: 1 });
  expect(asked.slice(0, ROWS)).toContain('second');
});
