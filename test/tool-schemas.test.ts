import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, defineTool } from 'data-designer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MCPProvider } from '@data-designer/config';
import type { RunEvent } from '@data-designer/engine';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { portableSchema } from '../packages/mcp/src/portable-schema.ts';
import { stdioServer } from '../packages/mcp/test/providers.ts';
import { whyRefused } from '../packages/simulator/src/chat/check-tool-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const whole = { type: 'integer' };
const EITHER = [{ required: ['id'] }, { required: ['name', 'city'] }];
const ID_OR_NAME = { type: 'object', properties: { id: whole, name: text, city: text }, anyOf: EITHER };

/** Schemas that OpenAI refuses, each with what models are sent in its place. */
const REFUSED: Readonly<Record<string, readonly [schema: Schema, sent: Schema]>> = {
  'alternatives of required properties': [
    ID_OR_NAME,
    {
      type: 'object',
      properties: ID_OR_NAME.properties,
      description: "Give one of these sets of properties: 'id'; 'name' and 'city'.",
    },
  ],
  'alternatives with properties of their own': [
    {
      type: 'object',
      properties: { at: text },
      required: ['at'],
      oneOf: [
        { properties: { kind: { const: 'a' }, x: whole }, required: ['kind', 'x'] },
        { $ref: '#/$defs/B' },
        { type: 'string' },
      ],
      $defs: { B: { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] } },
    },
    {
      type: 'object',
      properties: { at: text, kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, x: whole },
      required: ['at', 'kind'],
      description: "Give one of these sets of properties: 'kind' and 'x'; 'kind'.",
      $defs: { B: { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] } },
    },
  ],
  'parts that hold together': [
    {
      type: 'object',
      allOf: [
        { properties: { a: text, b: { minimum: 1 } }, required: ['a'] },
        { properties: { b: whole }, required: ['b'] },
      ],
    },
    { type: 'object', properties: { a: text, b: { allOf: [{ minimum: 1 }, whole] } }, required: ['a', 'b'] },
  ],
  'what it may not be': [
    { type: 'object', properties: { a: text }, not: { required: ['b'] }, enum: [{}] },
    { type: 'object', properties: { a: text } },
  ],
  'bounds of draft-04': [
    {
      $schema: 'http://json-schema.org/draft-04/schema#',
      type: 'object',
      properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } },
    },
    { type: 'object', properties: { n: { type: 'number', exclusiveMinimum: 0, maximum: 9 } } },
  ],
  'a reference out of it': [
    {
      type: 'object',
      properties: { a: { $ref: 'https://elsewhere.example/a.json', title: 'A' }, b: { $ref: '#/$defs/No' } },
    },
    { type: 'object', properties: { a: { title: 'A' }, b: {} } },
  ],
  'a type that is none': [
    { type: 'object', properties: { a: { type: 'strng' }, b: { type: ['integer', 'nil'] } } },
    { type: 'object', properties: { a: {}, b: { type: ['integer'] } } },
  ],
  'items as a list, and none': [
    {
      type: 'object',
      properties: {
        a: { type: 'array', items: [text, whole] },
        b: { type: 'array' },
        c: { type: 'array', items: true },
        d: { type: 'array', items: [text] },
      },
    },
    {
      type: 'object',
      properties: {
        a: { type: 'array', items: { anyOf: [text, whole] } },
        b: { type: 'array', items: {} },
        c: { type: 'array', items: {} },
        d: { type: 'array', items: text },
      },
    },
  ],
  'mistakes deep inside': [
    {
      type: 'object',
      properties: {
        a: { type: 'array', items: { anyOf: [{ type: 'object', properties: { b: { type: 'x', required: true } } }] } },
      },
    },
    {
      type: 'object',
      properties: { a: { type: 'array', items: { anyOf: [{ type: 'object', properties: { b: {} } }] } } },
    },
  ],
  'an object or nothing': [
    { type: ['object', 'null'], properties: { a: text } },
    { type: 'object', properties: { a: text } },
  ],
};

describe('a schema that OpenAI refuses is sent in a form that it accepts:', () => {
  test.each(Object.entries(REFUSED))('%s', (_, [schema, sent]) => {
    expect(whyRefused(schema)).toBeDefined();
    const told = portableSchema(schema);
    expect(told).toEqual({ parameters: sent });
    expect(whyRefused(sent)).toBeUndefined();
  });
});

test.each<[string, Schema]>([
  ['nothing', { type: 'object', properties: {} }],
  ['keywords of all kinds', {
    $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', title: 'T', additionalProperties: false, required: ['a'],
    properties: { a: { anyOf: [text, { type: 'null' }], default: null }, b: { type: 'array', items: { $ref: '#/definitions/C' }, minItems: 1 }, c: true },
    definitions: { C: { type: ['string', 'integer'], enum: ['x', 1], pattern: '^x$', 'x-hint': 5 } },
    if: { required: ['b'] }, else: { required: ['c'] },
  }],
])('an accepted tool schema is sent unchanged: %s', (_, schema) => {
  expect(portableSchema(schema)).toEqual({ parameters: schema });
  expect((portableSchema(schema) as { parameters: Schema }).parameters).toBe(schema);
}); // prettier-ignore

const NEVER = { type: 'object', anyOf: [{ type: 'string' }, { type: 'integer' }] };
const deep = (levels: number): Schema =>
  levels === 0 ? text : { type: 'object', properties: { a: deep(levels - 1) } };
const endless = { type: 'object', anyOf: [{ $ref: '#/$defs/A' }], $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }] } } };

test.each<[string, Schema, RegExp]>([
  ['alternatives of which none is an object', NEVER, /none of its alternatives takes an object/],
  ['too many levels', deep(100), /nested more than 64 levels deep/],
  ['alternatives that refer to each other', endless, /without end/],
])('a tool schema that no model API accepts is reported with the reason: %s', (_, schema, reason) => {
  expect(portableSchema(schema)).toEqual({ dropped: expect.stringMatching(reason) as string });
});

describe('with the rules of OpenAI', () => {
  let folder: string;
  let simulator: RunningSimulator;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tool-schemas-'));
    simulator = await startSimulator('--request-rules', 'openai');
  });
  afterAll(async () => {
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test('the simulator refuses with its words', async () => {
    const tool = { type: 'function', function: { name: 'find', parameters: ID_OR_NAME } };
    const messages = [{ role: 'user', content: 'Hello.' }];
    const response = await simulator.post({ model: 'sim-small', messages, tools: [tool] });
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        error: {
          message:
            "Invalid schema for function 'find': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
          type: 'invalid_request_error',
          param: 'tools[0].function.parameters',
          code: 'invalid_function_parameters',
        },
      },
    ]);
  });

  test(
    'every row is made with these tool schemas, and an unusable one is left out and named once',
    { tags: 'long' },
    async () => {
      const inputs = Object.values(REFUSED).map(([inputSchema], index) => ({ name: `tool_${index}`, inputSchema }));
      const { command, args, env } = stdioServer('raw', [
        'given',
        JSON.stringify([...inputs, { name: 'never', inputSchema: NEVER }]),
      ]);
      const served: MCPProvider = { name: 'served', providerType: 'stdio', command, args: [...args], env };
      const find = defineTool({ name: 'find', parameters: ID_OR_NAME, execute: (given) => given });
      const rest = { providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null } as const;
      await using designer = new DataDesigner({
        artifactPath: folder,
        providers: {
          models: [{ name: 'strict', endpoint: simulator.url, ...rest }],
          tools: [served, { name: 'mine', providerType: 'local', tools: [find] }],
        },
        runConfig: { seed: 4 },
      });
      const document = {
        model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'strict' }],
        tool_configs: [{ tool_alias: 'kit', providers: ['served', 'mine'] }],
        columns: [
          { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
          {
            name: 'a',
            column_type: 'llm-text',
            model_alias: 'writer',
            tool_alias: 'kit',
            prompt: 'Use the tool find for {{ id }}.',
          },
        ],
      };
      const events: RunEvent[] = [];
      const onEvent = (event: RunEvent) => void events.push(event);
      const before = (await simulator.stats()).byStatus['400'] ?? 0;
      const results = await designer.create(
        { document, source: 'the test' },
        { numRecords: 12, datasetName: 'made', onEvent },
      );
      expect([results.count, results.lost]).toEqual([12, []]);
      expect((await simulator.stats()).byStatus['400'] ?? 0).toBe(before);
      expect(events.filter(({ type }) => type === 'tool-drop')).toEqual([
        { type: 'tool-drop', provider: 'served', tools: ['never'], reason: 'none of its alternatives takes an object' },
      ]);
      expect(results.tools['find']?.calls).toBeGreaterThan(0);
      const { tools } = JSON.parse(readFileSync(join(results.path, 'run.json'), 'utf8')) as { readonly tools: Schema };
      expect(JSON.stringify(tools)).toContain(JSON.stringify(EITHER));
      expect(await designer.checkModels({ document, source: 'the test' })).toMatchObject([
        { status: 'ok' },
        { status: 'ok' },
      ]);
    },
  );
});
