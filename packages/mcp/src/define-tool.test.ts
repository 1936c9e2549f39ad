import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineTool, parametersOf } from './define-tool.ts';

const context = {
  signal: new AbortController().signal,
  log: () => {},
  progress: () => {},
  readResource: () => Promise.resolve(''),
};

/** A schema library that implements Standard Schema. */
const library = {
  '~standard': {
    version: 1 as const,
    vendor: 'small',
    types: undefined as { readonly input: { n?: number }; readonly output: { n: number } } | undefined,
    validate: (value: unknown) => ({ value: { n: (value as { n?: number }).n ?? 1 } }),
    jsonSchema: {
      input: () => ({ type: 'object', properties: { n: { type: 'integer' } } }),
      output: () => ({ type: 'object', required: ['n'] }),
    },
  },
};

test('the schema of a tool determines the type of its arguments', () => {
  const zod = z.object({ a: z.number(), b: z.string().default('x') });
  defineTool({
    name: 'zod',
    parameters: zod,
    execute: (args) => expectTypeOf(args).toEqualTypeOf<{ a: number; b: string }>(),
  });
  defineTool({
    name: 'other',
    parameters: library,
    execute: (args) => expectTypeOf(args).toEqualTypeOf<{ n: number }>(),
  });
  defineTool({
    name: 'json',
    parameters: { type: 'object', properties: { a: { type: 'number' } } },
    execute: (args) => expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>(),
  });
});

const execute = (): string => '';

test('a model gets the input schema of a tool, not its output schema', () => {
  const zod = z.object({ a: z.number(), b: z.string().default('x') });
  expect(parametersOf(defineTool({ name: 'zod', parameters: zod, execute }))).toMatchObject({
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'string', default: 'x' } },
    required: ['a'],
  });
  expect(parametersOf(defineTool({ name: 'other', parameters: library, execute }))).toEqual(
    library['~standard'].jsonSchema.input(),
  );
  expect(parametersOf(defineTool({ name: 'json', parameters: {}, execute }))).toEqual({ type: 'object' });
});

test('a tool may be an object with a method', () => {
  class Counter {
    readonly name = 'count';
    readonly parameters = { type: 'object' };
    #calls = 0;
    execute(): number {
      return ++this.#calls;
    }
  }
  const tool = defineTool(new Counter());
  tool.execute({} as never, context);
  expect(tool.execute({} as never, context)).toBe(2);
});

test.each<[string, object, string]>([
  ['without a name', { name: '' }, "The tool '' cannot be used: it has no name. Correct its definition."],
  [
    'without a function',
    { execute: 'echo' },
    "The tool 't' cannot be used: its 'execute' is not a function. Correct its definition.",
  ],
  [
    'whose description is not text',
    { description: 5 },
    "The tool 't' cannot be used: its description is not text. Correct its definition.",
  ],
  [
    'without a schema',
    { parameters: 'a' },
    "The tool 't' cannot be used: its parameters are not a schema. Correct its definition.",
  ],
  [
    'whose arguments are not an object',
    { parameters: z.string() },
    'The tool \'t\' cannot be used: its parameters are of the type "string", not an object. Correct its definition.',
  ],
  [
    'with arguments that JSON cannot hold',
    { parameters: z.object({ when: z.date() }) },
    "The tool 't' cannot be used: its parameters cannot be converted to a JSON Schema: Date cannot be represented in JSON Schema. Correct its definition.",
  ],
  [
    'with a library without JSON Schema',
    { parameters: { '~standard': { vendor: 'v', validate: () => ({ value: 1 }) } } },
    "The tool 't' cannot be used: its parameters cannot be converted to a JSON Schema: its library does not offer one (zod does from 4.2). Correct its definition.",
  ],
])('refuses a tool %s', (_claim, part, message) => {
  const tool = { name: 't', parameters: { type: 'object' }, execute, ...part };
  expect(() => defineTool(tool as never)).toThrow(message);
});

test('a misspelt member of a tool is refused, and data of its own is not', () => {
  const tool = { name: 'clock', parameters: { type: 'object' }, execute: () => 1 } as const;
  const misspelt = { ...tool, desciption: 'The time.' };
  expect(() => defineTool(misspelt)).toThrow("'clock' cannot be used: it has no option 'desciption'; did you mean");
  const own = { ...tool, description: 'The time.', note: 'mine', descriptions: [] };
  expect(() => defineTool(own)).not.toThrow();
});
