import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder, defineTool } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AnsweringServer, completion, openAnsweringServer, reply } from './answering-server.ts';

let artifactPath: string;

beforeEach(() => {
  artifactPath = mkdtempSync(join(tmpdir(), 'tools-per-row-'));
});

afterEach(() => rmSync(artifactPath, { recursive: true }));

/** A request of a model, as far as these tests look. */
interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** A model that calls the tool which the prompt ends with, and then answers with the result; keeps the requests. */
async function callingModel(requests: Asked[]): Promise<AnsweringServer> {
  return openAnsweringServer((body, response) => {
    const asked = JSON.parse(body) as Asked;
    requests.push(asked);
    const last = asked.messages.at(-1);
    if (last?.role === 'tool') return reply(response, completion(last.content));
    const call = { name: last?.content.split(' ').at(-1), arguments: '{}' };
    const tool_calls = [{ id: 'call_1', type: 'function', function: call }];
    const message = { role: 'assistant', content: null, tool_calls };
    return reply(response, { choices: [{ message, finish_reason: 'tool_calls' }], usage: {} });
  });
}

const called: string[] = [];
const tools = ['get', 'put', 'find'].map((name) =>
  defineTool({
    name,
    parameters: { type: 'object' },
    execute: () => {
      called.push(name);
      return `${name} ran`;
    },
  }),
);

function designer(model: AnsweringServer): DataDesigner {
  const models = [{ name: 'own', endpoint: model.origin, apiKey: 'none' }];
  return new DataDesigner({
    artifactPath,
    providers: { models, tools: [{ name: 'kit', providerType: 'local', tools }] },
    runConfig: { seed: 4, disableEarlyShutdown: true },
  });
}

/** Rows whose question offers the tools `offered`, and whose model calls the tool `asked`. */
function declared(allowTools: string | string[]) {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'm', model: 'x', provider: 'own', skipHealthCheck: true })
    .addToolConfig({ toolAlias: 'kit', providers: ['kit'] })
    .addColumn({ name: 'offered', columnType: 'sampler', samplerType: 'category', params: { values: ['get', 'put'] } })
    .addColumn({ name: 'asked', columnType: 'sampler', samplerType: 'category', params: { values: ['get', 'find'] } })
    .addColumn({
      name: 'answer',
      columnType: 'llm-text',
      modelAlias: 'm',
      toolAlias: 'kit',
      allowTools,
      prompt: 'Call {{ asked }}',
    });
}

test('each row offers the tools of its own list, and no call of another tool is made', async () => {
  const requests: Asked[] = [];
  using model = await callingModel(requests);
  called.length = 0;
  await using making = designer(model);
  const made = await making.preview(declared('{{ [offered] }}'), { numRecords: 20 });
  const rows = await Array.fromAsync(made.records());
  expect(rows).toHaveLength(20);
  for (const { offered, asked, answer } of rows) {
    const isOffered = offered === asked;
    expect(answer).toBe(
      isOffered ? `${asked} ran` : `Error: Tool '${asked}' failed: it is not allowed here; available tools: ${offered}`,
    );
  }
  expect(called).toEqual(rows.filter(({ offered, asked }) => offered === asked).map(() => 'get'));
  expect(requests.every((request) => request.tools?.length === 1)).toBe(true);
  const told = new Set(requests.map((request) => request.tools?.[0]?.function.name));
  expect(told).toEqual(new Set(['get', 'put']));
});

test('a name in a list that no provider has ends a run and a check before the first request', async () => {
  const requests: Asked[] = [];
  using model = await callingModel(requests);
  await using making = designer(model);
  const config = declared(['get', 'fund']);
  const message = "chooses in 'allow_tools' among the tools of 'kit': 'fund' is none of them, did you mean 'find'?";
  await expect(making.create(config, { numRecords: 2 })).rejects.toThrow(message);
  expect(requests).toEqual([]);
  const checks = await making.checkModels(config);
  expect(checks.find(({ alias }) => alias === 'kit')).toMatchObject({ status: 'failed', code: 'tool/not-offered' });
});

test('a name in the list of a row that no provider has fails its cell alone', async () => {
  using model = await callingModel([]);
  await using making = designer(model);
  const made = await making.create(declared("{{ ['fund' if offered == 'put' else 'get'] }}"), { numRecords: 20 });
  const rows = await Array.fromAsync(made.records());
  expect(rows.every(({ offered }) => offered === 'get')).toBe(true);
  expect(rows.length).toBeGreaterThan(0);
  const failures = await Array.fromAsync(made.failures());
  expect(failures).toHaveLength(20 - rows.length);
  expect(new Set(failures.map(({ column, code }) => `${column}: ${code}`))).toEqual(
    new Set(['answer: tool/not-offered']),
  );
});
