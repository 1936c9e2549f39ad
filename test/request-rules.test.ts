import { DataDesigner, defineTool } from 'data-designer';
import { expect, test } from 'vitest';
import {
  type ChatMessage,
  type PlannedTools,
  type RequestRulesName,
  type ToolSchema,
  REQUEST_RULES_NAMES,
  stringifyJson,
  wellFormedJson,
} from '@data-designer/core';
import { startSimulator } from '@data-designer/simulator';
import { chosenRules, fitTools, protocolOf, rulesOf } from '@data-designer/models/protocols';
import { modelProvider } from '../packages/config/src/schemas/providers.ts';
import { catalogOf } from '../packages/mcp/src/tool-catalog.ts';
import { toolSchema } from '../packages/mcp/src/tool-listing.ts';
import { stdioServer } from '../packages/mcp/test/providers.ts';
import { fitPictures } from '../packages/models/src/pictures/fit-pictures.ts';
import { checkRules, type RulesName } from '../packages/simulator/src/chat/request-rules.ts';
import { temporaryFolder } from '@data-designer/testing/temporary-folder';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const GIF = 'R0lGODlhAQABAAAAACw=';
const SVG = Buffer.from('<svg width="9" height="9"/>').toString('base64');
/** Two images of one point. */
const ANIMATED = Buffer.concat([
  Buffer.from('GIF89a'),
  Buffer.from([1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
  ...[1, 2].map(() => Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])),
  Buffer.from([0x3b]),
]).toString('base64');
const text = { type: 'string' };

/** Schemas that one provider or another refuses. */
const SCHEMAS: readonly object[] = [
  { type: 'object' },
  { type: 'object', properties: {} },
  { type: 'object', properties: { list: { type: 'array' }, any: {}, all: true, none: false } },
  {
    anyOf: [
      { type: 'object', properties: { a: text } },
      { type: 'object', properties: { b: text } },
    ],
  },
  { type: 'object', $ref: '#/$defs/A', $defs: { A: { type: 'object', properties: { a: text } } } },
  {
    type: 'object',
    properties: { a: { type: ['string', 'null'] }, b: { type: ['object', 'null'], properties: { c: text } } },
  },
  {
    type: 'object',
    properties: { a: { const: 'x' }, b: { const: 3 }, c: { enum: ['', 'x', null] }, d: { enum: [1, 2] } },
  },
  { type: 'object', properties: { a: { type: 'string', enum: [''] }, b: { type: 'boolean', enum: [true] } } },
  { type: 'object', properties: { a: { type: 'string', format: 'uri', default: 'x' } }, additionalProperties: false },
  { type: 'object', properties: { a: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 } } },
  { type: 'object', properties: { a: { type: 'object', propertyNames: { pattern: '^x' } } } },
  { type: 'object', properties: { a: { type: 'object', patternProperties: { '^x': text } } } },
  { type: 'object', properties: { a: { type: 'object', additionalProperties: { type: 'number' } } } },
  { type: 'object', properties: { a: text }, required: ['a', 'b', 'a'] },
  {
    type: 'object',
    properties: { node: { $ref: '#/$defs/N' } },
    $defs: { N: { type: 'object', properties: { next: { $ref: '#/$defs/N' } } } },
  },
  {
    type: 'object',
    properties: {
      a: { oneOf: [text, { type: 'null' }] },
      b: { allOf: [{ type: 'object', properties: { c: text } }, { required: ['c'] }] },
    },
  },
  {
    type: 'object',
    properties: { a: { type: 'array', prefixItems: [text, { type: 'number' }] }, b: { type: 'array', items: [text] } },
  },
  {
    type: 'object',
    properties: { $top: { type: 'integer' }, 'a b': text, 名前: text, ['x'.repeat(70)]: text },
    required: ['$top'],
  },
  { type: 'object', properties: { a: { type: 'object', properties: { '@id': text }, required: ['@id'] } } },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'x',
    type: 'object',
    properties: { a: text },
    not: { required: ['b'] },
    dependentRequired: { a: ['b'] },
  },
  {
    type: 'object',
    properties: { a: { type: 'string', nullable: true, deprecated: true, examples: ['x'] } },
    minProperties: 1,
  },
  {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'object', properties: { 'a.b c': text, '😀': text, 'a.b_c': text } } },
      either: {
        anyOf: [{ type: 'object', properties: { '@x': text } }, true, { type: 'array', items: { enum: [1] } }],
      },
    },
  },
  {
    type: 'object',
    properties: {
      map: { const: { a: 1 } },
      list: { const: [1, 2] },
      none: { const: null },
      uuid: { type: 'string', format: 'uuid', pattern: '^[0-9a-f-]+$' },
      pair: { type: 'array', prefixItems: [text, { type: 'integer' }], items: false },
      any: { type: 'array', items: true },
      never: { type: 'array', items: false },
    },
  },
  {
    type: 'object',
    properties: {
      codes: { type: 'integer', enum: [1, 2, 3] },
      empty: { enum: [] },
      noString: { type: 'string', enum: [] },
      mixed: { enum: ['a', 1, null, { b: 2 }] },
      union: { type: ['integer', 'string'], enum: [1, 'a'] },
    },
  },
  {
    oneOf: [{ $ref: '#/definitions/A%20B' }, { type: 'object', allOf: [{ properties: { b: text } }] }],
    definitions: { 'A B': { type: 'object', properties: { a: text }, required: ['a'] } },
  },
  {
    type: 'object',
    properties: { a: { $ref: '#/$defs/A' }, self: { $ref: '#' }, gone: { $ref: '#/$defs/Gone' } },
    $defs: {
      A: { type: 'object', properties: { b: { $ref: '#/$defs/B' } } },
      B: { type: 'array', items: { $ref: '#/$defs/A' } },
    },
  },
  {
    type: 'object',
    properties: { type: text, properties: text, enum: text, $ref: text, required: text, constructor: text },
    required: ['type', '$ref'],
    if: { properties: { type: { const: 'x' } } },
    else: { required: ['enum'] },
    dependentSchemas: { type: { required: ['enum'] } },
    unevaluatedProperties: false,
  },
  {
    type: 'object',
    properties: { deep: deepSchema(40) },
    additionalProperties: { type: 'object', properties: { a: text } },
  },
  {
    type: 'object',
    properties: { file: { type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' } },
    required: [],
  },
];

/** Objects within each other. */
function deepSchema(levels: number): object {
  return levels === 0 ? text : { type: 'object', properties: { next: deepSchema(levels - 1) } };
}

const NAMES = ['plain', '3d', '-x', 'a.b', 'x'.repeat(80), '工具'];

function offered(count = 0): readonly ToolSchema[] {
  const made = SCHEMAS.map((parameters, at) => ({
    name: `${NAMES[at % NAMES.length]}${at}`,
    description: at % 2 === 0 ? '' : 'Half \uD83D.',
    parameters,
  }));
  const long = {
    name: 'long',
    description: 'Many rules. '.repeat(200),
    parameters: { type: 'object', properties: { a: text } },
  };
  const more = Array.from({ length: count }, (_, at) => ({
    name: `more_${at}`,
    description: '',
    parameters: { type: 'object' },
  }));
  const config: PlannedTools = { alias: 't', providers: ['p'], allowTools: null, maxToolCallTurns: 5, timeoutMs: 1000 };
  const alike = ['a.b', 'a b', 'a/b', 'a_b', `${'n'.repeat(64)}1`, `${'n'.repeat(64)}2`].map((name) => {
    return { name, description: '', parameters: { type: 'object' } };
  });
  const tools = [...made, long, ...alike, ...more].map((tool) => toolSchema(tool as ToolSchema['function']));
  return catalogOf(config, [{ provider: 'p', tools }]).schemas;
}

function picture(base64: string, type: string) {
  return { type: 'image', media_type: type, url: `data:${type};base64,${base64}` } as const;
}

const CALL = { id: 'c', type: 'function', function: { name: 'plain0', arguments: '{"q": "\\ud83d"}' } } as const;
const TALK: readonly ChatMessage[] = [
  { role: 'user', content: 'Half a smile: \uD83D' },
  { role: 'assistant', content: null, tool_calls: ['c', 'd', 'e', 'f'].map((id) => ({ ...CALL, id })) },
  {
    role: 'tool',
    tool_call_id: 'c',
    content: [
      { type: 'text', text: 'Shown.' },
      picture(PNG, 'image/png'),
      picture(PNG, 'image/jpeg'),
      picture(GIF, 'image/gif'),
      picture(SVG, 'image/svg+xml'),
      picture(SVG, 'image/png'),
      picture('', 'image/png'),
      picture('AAAA', 'image/x-icon'),
      picture(PNG + 'A'.repeat(6_000_000), 'image/png'),
      picture(ANIMATED, 'image/gif'),
      { type: 'text', text: ' ' },
    ],
  },
  { role: 'tool', tool_call_id: 'd', content: '' },
  { role: 'tool', tool_call_id: 'e', content: ' \n' },
  { role: 'tool', tool_call_id: 'f', content: [{ type: 'text', text: '' }, picture(PNG, 'image/png')] },
];

interface Asked {
  readonly protocol: string;
  readonly requestRules?: string;
  readonly tools?: readonly ToolSchema[];
  readonly isTextOnly?: boolean;
}

async function bodyOf({ tools = offered(), isTextOnly = false, ...model }: Asked): Promise<unknown> {
  const rules = rulesOf(model);
  const { chat } = await protocolOf(model.protocol).loadRequests();
  const { messages } = fitPictures(TALK, { rules, isTextOnly });
  const request = { model: 'm', parameters: {}, timeoutMs: 1000, messages, tools: fitTools(tools, rules).tools };
  return JSON.parse(wellFormedJson(stringifyJson(chat(request).body)));
}

const PROVIDERS: readonly (readonly [RulesName, string, RequestRulesName | undefined])[] = [
  ['openai', 'openai', undefined],
  ['openai', 'openai-responses', undefined],
  ['anthropic', 'anthropic', undefined],
  ['azure', 'openai', 'azure'],
  ['gemini', 'openai', 'gemini'],
  ['groq', 'openai', 'groq'],
  ['mistral', 'openai', 'mistral'],
  ['xai', 'openai', 'xai'],
  ['bedrock', 'openai', 'bedrock'],
];

test.each(PROVIDERS)(
  '%s accepts tools, texts and images of all kinds by the protocol %s',
  { tags: 'long' },
  async (name, protocol, requestRules) => {
    const model = { protocol, ...(requestRules && { requestRules }) };
    expect(checkRules(await bodyOf({ ...model, tools: offered(250) }), name)).toBeUndefined();
  },
);

test.each(PROVIDERS)('%s refuses them as servers and users give them', (name) => {
  const raw = SCHEMAS.map((parameters, at) => ({
    type: 'function',
    function: { name: `tool_${at}`, description: '', parameters },
  }));
  const refused = raw.filter((tool) => checkRules({ tools: [tool] }, name) !== undefined);
  expect(refused.length).toBeGreaterThan(0);
  expect(checkRules({ messages: TALK }, name)?.message).toContain('surrogate');
});

/** Open servers refuse nothing of what is sent. */
const OPEN_SERVERS = [
  [undefined, 'openai', 'vllm'],
  [undefined, 'openai', 'ollama'],
] as const;

test.each([...PROVIDERS, ...OPEN_SERVERS])(
  'an endpoint with the rules of %s makes every row with a tool of each kind, by the protocol %s and the rules %s',
  { tags: 'long', timeout: 60_000 },
  async (rules, protocol, requestRules) => {
    await using simulator = await startSimulator(...(rules ? ['--request-rules', rules] : []));
    using artifacts = temporaryFolder('rules-');
    const inputs = SCHEMAS.filter((schema) => 'type' in schema).map((inputSchema, at) => {
      return { name: `tool_${at}`, description: at === 0 ? 'Many rules. '.repeat(200) : '', inputSchema };
    });
    const { command, args, env } = stdioServer('raw', ['given', JSON.stringify(inputs)]);
    const find = defineTool({
      name: 'find',
      parameters: { type: 'object', properties: { $top: { type: 'integer' } } },
      execute: () => [
        { type: 'image', data: GIF, mimeType: 'image/png' },
        { type: 'text', text: ' ' },
      ],
    });
    await using designer = new DataDesigner({
      artifactPath: artifacts.path,
      providers: {
        models: [
          {
            name: 'strict',
            endpoint: simulator.url,
            providerType: protocol,
            apiKey: null,
            extraBody: null,
            extraHeaders: null,
            ...(requestRules !== undefined && { requestRules }),
          },
        ],
        tools: [
          { name: 'served', providerType: 'stdio', command, args: [...args], env },
          { name: 'mine', providerType: 'local', tools: [find] },
        ],
      },
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
    const results = await designer.create({ document, source: 'the test' }, { numRecords: 4, datasetName: 'd' });
    expect([results.count, results.lost]).toEqual([4, []]);
    expect(results.tools['find']?.calls).toBeGreaterThan(0);
    expect((await simulator.stats()).byStatus['400'] ?? 0).toBe(0);
  },
);

test.each([
  ['openai', 'it is an animated gif'],
  ['anthropic', undefined],
])('%s gets a note for an animated GIF: %s', (protocol, note) => {
  const content = [
    { type: 'text', text: 'Shown.' } as const,
    picture(ANIMATED, 'image/gif'),
    picture(GIF, 'image/gif'),
  ];
  const rules = rulesOf({ protocol });
  const { messages } = fitPictures([{ role: 'tool', tool_call_id: 'c', content }], { rules, isTextOnly: false });
  const notes = JSON.stringify(messages).match(/left out here: [^,.]*/g);
  expect(notes).toEqual(note === undefined ? null : [`left out here: ${note}`]);
});

test('a model that reads text only gets notes in place of the images of tools', async () => {
  const body = await bodyOf({ protocol: 'openai', isTextOnly: true });
  expect(checkRules(body, 'text-only')).toBeUndefined();
  expect(JSON.stringify(body)).toContain('[An image was left out here: this model reads text only.]');
});

test('the bytes of an image decide its type, and those of the user are never left out', () => {
  const rules = rulesOf({ protocol: 'anthropic' });
  const own: readonly ChatMessage[] = [
    { role: 'user', content: [picture(PNG, 'image/jpg'), picture(SVG, 'image/svg+xml')] },
  ];
  const { messages, isPictureLeftOut } = fitPictures(own, { rules, isTextOnly: true });
  expect(messages).toEqual([{ role: 'user', content: [picture(PNG, 'image/png'), picture(SVG, 'image/svg+xml')] }]);
  expect(isPictureLeftOut).toBe(false);
});

test('nothing of a long description is lost', () => {
  const description = 'Many rules for 😀. '.repeat(200);
  const tool = toolSchema({
    name: 'long',
    description,
    parameters: { type: 'object', properties: {}, description: 'Own.' },
  });
  const [sent] = fitTools([tool], rulesOf({ protocol: 'openai' })).tools;
  const { description: head = '', parameters = {} } = sent?.function ?? {};
  expect(head.length).toBeLessThanOrEqual(1024);
  const [start = ''] = head.split(' … (continued');
  expect(`${start} ${String(parameters['description']).replace('(continued) ', '')}`).toBe(`${description}\n\nOwn.`);
  expect(fitTools([tool], rulesOf({ protocol: 'anthropic' })).tools).toEqual([tool]);
});

test('the first tools up to the maximum are sent, and open servers have none', () => {
  const tools = offered(250);
  const { tools: sent, leftOut } = fitTools(tools, rulesOf({ protocol: 'openai' }));
  expect([sent.length, leftOut.length]).toEqual([128, tools.length - 128]);
  expect(fitTools(tools, rulesOf({ protocol: 'openai', requestRules: 'vllm' })).leftOut).toEqual([]);
});

test('what Gemini cannot express is said in descriptions', () => {
  const tool = toolSchema({
    name: 'f',
    description: 'F.',
    parameters: {
      type: 'object',
      properties: {
        amount: { type: 'number', exclusiveMinimum: 0, description: 'How much.' },
        kind: { enum: ['', 'a'] },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        always: { const: { a: 1 } },
        maybe: { type: ['string', 'null'] },
      },
      required: ['amount', 'gone'],
    },
  });
  const [sent] = fitTools([tool], rulesOf({ protocol: 'openai', requestRules: 'gemini' })).tools;
  expect(sent?.function.parameters).toEqual({
    type: 'object',
    properties: {
      amount: { type: 'number', description: 'How much. More than: 0.' },
      kind: { type: 'string', description: 'One of: "", "a".', enum: ['a'] },
      map: { type: 'string', description: '(Give a JSON object as text.)' },
      always: { type: 'string', description: 'Always: {"a":1}. (Give a JSON object as text.)' },
      maybe: { type: 'string', nullable: true },
    },
    required: ['amount'],
  });
});

test.each([
  ['https://api.openai.com/v1', 'gpt-5', 'openai'],
  ['https://me.openai.azure.com/openai/v1', 'x', 'azure'],
  ['https://generativelanguage.googleapis.com/v1beta/openai/', 'gemini-3', 'gemini'],
  ['https://europe-west1-aiplatform.googleapis.com/v1/x', 'google/gemini-3', 'gemini'],
  ['https://api.groq.com/openai/v1', 'x', 'groq'],
  ['https://api.mistral.ai/v1', 'x', 'mistral'],
  ['https://api.x.ai/v1', 'grok', 'xai'],
  ['https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1', 'x', 'bedrock'],
  ['https://proxy.example.org/v1', 'google/gemini-3-pro', 'gemini'],
  ['http://127.0.0.1:8000/v1', 'x', undefined],
  ['https://api.openai.com.example.org/v1', 'x', undefined],
  ['not an address', 'x', undefined],
])('the endpoint %s with the model %s has the rules %s', (endpoint, model, name) => {
  expect(chosenRules(endpoint, model)).toBe(name);
});

function mayName(requestRules: string): boolean {
  return modelProvider.safeParse({ name: 'p', endpoint: 'x', requestRules }).success;
}

test('a provider may name each set of rules, and no other', () => {
  expect(REQUEST_RULES_NAMES.filter((name) => !mayName(name))).toEqual([]);
  expect(mayName('closedai')).toBe(false);
});
