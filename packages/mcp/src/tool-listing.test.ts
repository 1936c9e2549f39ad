import { expect, test } from 'vitest';
import type { Gateway, ToolSchema } from '@data-designer/core';
import { MCPFacade } from './mcp-facade.ts';
import { listAllTools } from './tool-listing.ts';

const properties = { n: { type: 'integer' } };
const NOTHING = { type: 'object', properties: {} };

/** Lists a tool with this input schema: the listed schema, the one for the model, and the unchecked tools. */
async function made(inputSchema: unknown) {
  const { schemas: tools } = await listAllTools(async () => ({ tools: [{ name: 'take', inputSchema }] }));
  return { listed: tools[0]?.function.parameters, ...(await told(tools)) };
}

async function told(tools: readonly ToolSchema[]) {
  const gateway = { listTools: async () => tools } as unknown as Gateway;
  const config = { alias: 'a', providers: ['p'], allowTools: null, maxToolCallTurns: 1, timeoutMs: 9 };
  const facade = new MCPFacade(config, gateway);
  const [schema] = await facade.getToolSchemas();
  return { told: schema?.function.parameters, unchecked: await facade.getUncheckedTools() };
}

const UNCHECKED = [expect.objectContaining({ provider: 'p', name: 'take' }) as unknown];

test.each([
  [undefined, NOTHING],
  [null, NOTHING],
  [{}, NOTHING],
  [{ properties }, { type: 'object', properties }],
  [
    { type: ['object', 'null'], properties },
    { type: 'object', properties },
  ],
  [
    { type: 'object', properties },
    { type: 'object', properties },
  ],
])('the schema %j becomes that of an object', async (schema, parameters) => {
  expect(await made(schema)).toEqual({ listed: parameters, told: parameters, unchecked: [] });
});

test.each([[['n']], [[]], ['n'], [true], [{ type: 'array' }], [{ type: ['string', 'null'] }], [{ type: 5 }]])(
  'with the schema %j the model sees no arguments, and they are not checked',
  async (schema) => {
    expect(await made(schema)).toEqual({ listed: schema, told: NOTHING, unchecked: UNCHECKED });
  },
);

test('a schema without a type that an earlier dataset froze is shown unchanged', async () => {
  const parameters = { properties };
  const schema = { type: 'function', function: { name: 'take', description: '', parameters } } as const;
  expect(await told([schema])).toEqual({ told: parameters, unchecked: [] });
});

test('a call may be repeated only if the annotations of its tool allow it', async () => {
  const annotated = {
    reads: { readOnlyHint: true },
    sets: { readOnlyHint: false, idempotentHint: true },
    adds: { destructiveHint: false, idempotentHint: false },
    odd: { readOnlyHint: 'true' },
    none: null,
  };
  const tools = [
    ...Object.entries(annotated).map(([name, annotations]) => ({ name, annotations })),
    { name: 'silent' },
  ];
  const { schemas, repeatable } = await listAllTools(async () => ({ tools }));
  expect([...repeatable]).toEqual(['reads', 'sets']);
  expect(JSON.stringify(schemas)).not.toContain('Hint');
});
