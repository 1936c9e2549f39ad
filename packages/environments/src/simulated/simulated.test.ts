import { type CellValue, DataDesignerError, Float, Random } from '@data-designer/core';
import { expect, test } from 'vitest';
import { fieldKey, type OpenEnvironment, type WorldQuestion } from '../environment-kind.ts';
import { simulated } from './simulated.ts';

const TOOL = {
  name: 'buy',
  description: 'Buys a thing.',
  parameters: { type: 'object', properties: { thing: { type: 'string' }, count: { type: 'integer' } } },
  outputSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
};

type Declared = Readonly<Record<string, unknown>>;

function parsed(more: Declared = {}) {
  const base = { name: 'shop', kind: 'simulated', modelAlias: 'player', state: { apples: 3 }, tools: [TOOL] };
  const given = Object.entries({ ...base, ...more }).filter(([, value]) => value !== undefined);
  return simulated.schema.parse(Object.fromEntries(given));
}

const never = () => {
  throw new Error('asked');
};

/** Opens a world; templates give these values in order. */
function open(more: Declared = {}, ...given: readonly CellValue[]): Promise<OpenEnvironment> {
  const config = parsed(more);
  const values = Object.fromEntries(
    simulated.templates(config).map(({ field }, at) => [fieldKey(field), given[at] ?? null]),
  );
  return simulated.open(config, {
    rowIndex: 0,
    values,
    random: Random.of(1, 'w').at(0),
    callFunction: never,
    startServer: never,
  });
}

interface Given {
  readonly args?: Readonly<Record<string, CellValue>>;
  readonly signal?: AbortSignal;
}

/** Calls a tool with a model that gives this answer; a function sees the question. */
function call(
  world: OpenEnvironment,
  answer: CellValue | ((question: WorldQuestion) => CellValue) = null,
  { args = { thing: 'apples', count: 1 }, signal = new AbortController().signal }: Given = {},
) {
  const ask = async (question: WorldQuestion) => (typeof answer === 'function' ? answer(question) : answer);
  return world.call({ name: 'buy', arguments: args, random: Random.of(1, 'w').at(0), signal, timeoutMs: 1_000, ask });
}

test('the model is told of the tools, the instructions, the state and the call', async () => {
  const world = await open({ instructions: 'It is {{ day }}.' }, 'It is Monday.');
  let asked: WorldQuestion | undefined;
  const answer = (question: WorldQuestion) => {
    asked = question;
    return { result: { ok: true }, state: { apples: 2 } };
  };
  expect(await call(world, answer)).toEqual({ text: '{"ok":true}', failed: false });
  expect(await world.snapshot()).toEqual({ apples: 2 });
  expect(asked?.modelAlias).toBe('player');
  expect(asked?.systemPrompt).toContain('It is Monday.');
  expect(asked?.systemPrompt).toContain('"output_schema":{"type":"object"');
  expect(asked?.prompt).toContain('The state:\n{"apples":3}');
  expect(asked?.prompt).toContain('{"name":"buy","arguments":{"thing":"apples","count":1}}');
  expect(asked?.schema).toMatchObject({
    properties: { result: { anyOf: [TOOL.outputSchema, { type: 'null' }] }, state: { type: 'object' } },
  });
});

test('definitions of a schema of results move to the root, to which their references lead', async () => {
  const outputSchema = { $schema: 's', $defs: { n: { type: 'integer' } }, type: 'array', items: { $ref: '#/$defs/n' } };
  const world = await open({ state: [1], tools: [{ ...TOOL, outputSchema }] });
  let schema: WorldQuestion['schema'] = {};
  await call(world, (question) => {
    schema = question.schema;
    return { result: [1] };
  });
  expect(schema).toMatchObject({
    $schema: 's',
    $defs: { n: { type: 'integer' } },
    properties: {
      result: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/n' } }, { type: 'null' }] },
      state: { type: 'array' },
    },
  });
});

test.each<[string, CellValue, string]>([
  ['an error', { result: null, error: ' sold out ', state: { apples: 0 } }, 'sold out'],
  ['neither a result nor an error', { result: null, error: ' ' }, 'its simulation gave neither a result nor an error'],
  ['a result of 5 MB', { result: 'x'.repeat(5e6), state: {} }, 'the result has 5000000 bytes, more than 262144'],
  ['an error of 5 MB', { result: null, error: 'x'.repeat(5e6) }, 'the error has 5000000 bytes, more than 262144'],
  [
    'a state that is too large',
    { result: { ok: true }, state: { a: 'é'.repeat(600_000) } },
    'the state after the call has 1200008 bytes, more than 1048576',
  ],
])('%s is a failed call that changes nothing', async (_, answer, text) => {
  const world = await open();
  expect(await call(world, answer)).toEqual({ text, failed: true });
  expect(await world.snapshot()).toEqual({ apples: 3 });
});

test('a result and a state may be as large as the limits', async () => {
  const world = await open({ tools: [{ name: 'buy' }] });
  const answer = { result: 'x'.repeat(262_144), state: { a: 'x'.repeat(1_048_576 - 8) } };
  expect((await call(world, answer)).failed).toBe(false);
  expect(await world.snapshot()).toEqual(answer.state);
});

test('a result beside an error is a result, and null is one where the schema takes it', async () => {
  expect(await call(await open(), { result: { ok: false }, error: 'no' })).toEqual({
    text: '{"ok":false}',
    failed: false,
  });
  for (const outputSchema of [{ type: ['string', 'null'] }, {}]) {
    const world = await open({ tools: [{ ...TOOL, outputSchema }] });
    expect(await call(world, { result: null, state: null })).toEqual({ text: 'null', failed: false });
    expect(await world.snapshot()).toEqual({ apples: 3 });
  }
});

test('a model that gives up is a failed call; other failures pass', async () => {
  const world = await open();
  const failing = (failure: DataDesignerError) =>
    call(world, () => {
      throw failure;
    });
  const gaveUp = new DataDesignerError('model/gave-up', {
    model: 'player',
    reason: 'no JSON',
    corrections: 2,
    restarts: 0,
  });
  expect(await failing(gaveUp)).toEqual({ text: 'its simulation gave no valid result: no JSON', failed: true });
  for (const code of ['run/over', 'run/aborted'] as const) {
    await expect(failing(new DataDesignerError(code, { reason: 'x' }))).rejects.toMatchObject({ code });
  }
});

test('an answer after the time limit of the call changes nothing', async () => {
  const world = await open();
  await call(world, { result: { ok: true }, state: { apples: 0 } }, { signal: AbortSignal.abort() });
  expect(await world.snapshot()).toEqual({ apples: 3 });
});

const LOOKUP = [
  { arguments: { thing: 'apples', count: 1 }, result: { price: 2 } },
  { arguments: { thing: 'pears', count: null }, result: 'none left' },
];

test('a table gives the result for equal arguments, and no model is asked', async () => {
  const world = await open({ modelAlias: undefined, tools: [{ ...TOOL, lookup: LOOKUP }] });
  const lookUp = (args: Readonly<Record<string, CellValue>>) => call(world, never, { args });
  expect(await lookUp({ count: new Float(1), thing: 'apples' })).toEqual({ text: '{"price":2}', failed: false });
  // Null stands for an argument that is left out.
  expect(await lookUp({ thing: 'pears' })).toEqual({ text: 'none left', failed: false });
  expect(await lookUp({ thing: 'apples', count: 2 })).toEqual({
    text: 'no entry has these arguments: {"thing":"apples","count":2}',
    failed: true,
  });
  expect(await lookUp({ thing: 'apples' })).toMatchObject({ failed: true });
  expect(await world.snapshot()).toEqual({ apples: 3 });
});

test('the table of a tool may come from a template', async () => {
  const world = await open({ tools: [{ ...TOOL, lookup: '{{ table }}' }] }, LOOKUP);
  expect(await call(world, never)).toEqual({ text: '{"price":2}', failed: false });
  const ofText = await open({ tools: [{ ...TOOL, lookup: '{{ table }}' }] }, JSON.stringify(LOOKUP));
  expect(await call(ofText, never)).toEqual({ text: '{"price":2}', failed: false });
});

test('the state and the tools may come from templates, with schemas as JSON text and without members as null', async () => {
  const tool = {
    name: 'buy',
    description: null,
    parameters: JSON.stringify(TOOL.parameters),
    output_schema: TOOL.outputSchema,
    lookup: null,
  };
  const world = await open({ state: '{{ state }}', tools: '{{ tools }}' }, '{"apples": 7}', [tool]);
  expect(world.tools).toEqual([{ name: 'buy', description: '', parameters: TOOL.parameters }]);
  expect(await call(world, ({ schema }) => ({ result: schema['properties'] as CellValue }))).toMatchObject({
    failed: false,
  });
  expect(await world.snapshot()).toEqual({ apples: 7 });
});

test.each<[string, Declared, readonly CellValue[], string]>([
  ['a state that is text', { state: '{{ s }}' }, ['three apples'], 'its state is no JSON: "three apples"'],
  ['a state that is a number', { state: '{{ s }}' }, [3], 'its state is neither an object nor a list: 3'],
  ['a state that is too large', { state: '{{ s }}' }, [{ a: 'x'.repeat(2 ** 20) }], 'its state has 1048584 bytes'],
  ['tools that are no list', { tools: '{{ t }}' }, [{}], 'its tools cannot be read: tools'],
  ['a tool without a name', { tools: '{{ t }}' }, [[{ description: 'x' }]], 'its tools cannot be read: tools.0.name'],
  ['two tools of one name', { tools: '{{ t }}' }, [[{ name: 'buy' }, { name: 'buy' }]], "it has two tools named 'buy'"],
  [
    'a table that is no list',
    { tools: [{ ...TOOL, lookup: '{{ t }}' }] },
    [{}],
    "its lookup of 'buy' is no list of entries: {}",
  ],
  [
    'an entry without a result',
    { tools: [{ ...TOOL, lookup: '{{ t }}' }] },
    [[{ arguments: {} }]],
    "its lookup of 'buy' has an entry without a result",
  ],
  [
    'a tool that nobody plays',
    { modelAlias: undefined, tools: '{{ t }}' },
    [[{ name: 'buy' }]],
    "its tool 'buy' has no lookup, and there is no model_alias",
  ],
])('%s cannot be opened', async (...[, more, given, reason]) => {
  await expect(open(more, ...given)).rejects.toThrow(reason);
});

test.each<[string, Declared, string, string]>([
  ['no model', { modelAlias: undefined }, 'modelAlias', "no model plays the tool 'buy'."],
  ['a state that is a number', { state: '3' }, 'state', 'the state is neither an object nor a list.'],
  ['a state that is no JSON', { state: 'x' }, 'state', 'the state is neither an object nor a list.'],
  [
    'a state that is too large',
    { state: { a: 'x'.repeat(2 ** 20) } },
    'state',
    'the state has 1048584 bytes, more than 1048576.',
  ],
  ['two tools of one name', { tools: [TOOL, TOOL] }, 'tools.1.name', "there are two tools named 'buy'."],
  [
    'arguments that are no object',
    { tools: [{ ...TOOL, parameters: { type: 'string' } }] },
    'tools.0.parameters.type',
    'its type is "string".',
  ],
  [
    'results of an unknown type',
    { tools: [{ ...TOOL, outputSchema: { type: 'strng' } }] },
    'tools.0.outputSchema',
    "the schema of the results of 'buy' is not valid.",
  ],
  [
    'a reference to the whole',
    { tools: [{ ...TOOL, outputSchema: { items: { $ref: '#' } } }] },
    'tools.0.outputSchema',
    'a reference leads elsewhere than to $defs.',
  ],
  [
    'an entry that does not fit',
    { tools: [{ ...TOOL, lookup: [{ arguments: { count: 'x' }, result: 1 }] }] },
    'tools.0.lookup.0.arguments',
    "these arguments do not fit 'buy': 'count' must be of type integer, but it is \"x\".",
  ],
  [
    'an entry that repeats',
    { tools: [{ ...TOOL, lookup: [LOOKUP[0], LOOKUP[0]] }] },
    'tools.0.lookup.1.arguments',
    'there are two entries with these arguments.',
  ],
])('%s is a mistake', async (...[, more, at, message]) => {
  const mistakes = await simulated.check(parsed(more));
  expect(mistakes.map(({ field, message: found }) => [fieldKey(field), found])).toEqual([[at, message]]);
});

function modelsOf(more: Declared) {
  return simulated.models?.(parsed(more));
}

test('a model is asked unless each tool has a table', () => {
  const player = [{ alias: 'player', field: ['modelAlias'] }];
  expect(modelsOf({})).toEqual(player);
  expect(modelsOf({ tools: '{{ tools }}' })).toEqual(player);
  expect(modelsOf({ tools: [TOOL, { ...TOOL, lookup: [] }] })).toEqual(player);
  expect(modelsOf({ tools: [{ ...TOOL, lookup: [] }] })).toEqual([]);
  expect(modelsOf({ modelAlias: undefined, tools: '{{ tools }}' })).toEqual([]);
});

test('a state given as text without a template, and schemas with definitions, have no mistake', async () => {
  const outputSchema = { $defs: { n: { type: 'integer' } }, items: { $ref: '#/$defs/n' } };
  expect(await simulated.check(parsed({ state: '{"a": {"b": 1}}', tools: [{ ...TOOL, outputSchema }] }))).toEqual([]);
  expect(await simulated.check(parsed({ state: '{{ state }}', tools: '{{ tools }}' }))).toEqual([]);
});
