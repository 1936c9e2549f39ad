import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { customColumn, DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';

const ROWS = 4;

let folder: string;
let server: AnsweringServer;
/** Resolves once all rows are asked for together. */
let allAsked: PromiseWithResolvers<void>;
/** Resolves once a row is lost to another of its cells. */
let oneLost: PromiseWithResolvers<void>;
let together: number;
let alone: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lost-among-all-'));
  [together, alone] = [0, 0];
  allAsked = Promise.withResolvers();
  oneLost = Promise.withResolvers();
  server = await openAnsweringServer(answer);
});

afterEach(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

async function answer(body: string, response: ServerResponse, { url }: IncomingMessage): Promise<void> {
  if (url === '/check') {
    allAsked.resolve();
    await oneLost.promise;
    const { data } = JSON.parse(body) as { data: readonly object[] };
    return reply(response, { data: data.map(() => ({ is_valid: true })) });
  }
  if (body.includes('Together')) {
    if (++together === ROWS) allAsked.resolve();
    await oneLost.promise;
  } else {
    await allAsked.promise;
    if (++alone === 1) {
      reply(response, { error: { message: "This model's maximum context length is 8 tokens." } }, { status: 400 });
      // What a lost row has under way would be closed meanwhile.
      return void sleep(500).then(oneLost.resolve);
    }
  }
  return reply(response, completion('word'));
}

/** Makes rows of which one is lost to a cell of its own, while all of them are asked for together. */
async function make(declare: (builder: DataDesignerConfigBuilder) => DataDesignerConfigBuilder) {
  const model = { name: 'here', endpoint: `${server.origin}/v1`, providerType: 'openai', apiKey: null } as const;
  await using designer = new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ ...model, extraBody: null, extraHeaders: null }], tools: [] },
    permissions: { privateAddresses: true },
  });
  const inferenceParameters = { maxParallelRequests: 2 * ROWS };
  const builder = new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'm', provider: 'here', skipHealthCheck: true, inferenceParameters })
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({ name: 'alone', columnType: 'llm-text', modelAlias: 'writer', prompt: 'Alone {{ id }}' });
  const { count, lost } = await designer.create(declare(builder), { numRecords: ROWS });
  return { count, lost: lost.map(({ column, code, rows }) => ({ column, code, rows })) };
}

const ONE_LOST = {
  count: ROWS - 1,
  lost: [{ column: 'alone', code: 'model/context-exceeded', rows: 1 }],
};

test('a row lost to another cell during a full-column function takes no other row with it', async () => {
  const all = customColumn({
    requiredColumns: ['id'],
    modelAliases: ['writer'],
    generate: (rows: readonly { readonly id: string }[], { cells }) =>
      Promise.all(
        rows.map(async ({ id }, at) => {
          const question = { modelAlias: 'writer', prompt: `Together ${id}` };
          return { all: (await cells[at]?.ask(question))?.value ?? '' };
        }),
      ),
  });
  const made = await make((builder) =>
    builder.addColumn({
      name: 'all',
      columnType: 'custom',
      generationStrategy: 'full_column',
      generatorFunction: all,
    }),
  );
  expect(made).toEqual(ONE_LOST);
});

test('a row lost to another cell during a remote validation takes no other row with it', { tags: 'long' }, async () => {
  const made = await make((builder) =>
    builder.addColumn({
      name: 'check',
      columnType: 'validation',
      targetColumns: ['id'],
      validatorType: 'remote',
      validatorParams: { endpointUrl: `${server.origin}/check` },
      batchSize: ROWS,
    }),
  );
  expect(made).toEqual(ONE_LOST);
});
