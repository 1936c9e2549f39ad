import { expect, test } from 'vitest';
import { z } from 'zod';
import { ColumnRegistry } from './column-registry.ts';
import { defineProcessor, processorFields } from './define-processor.ts';
import { defineSeed, seedFields } from './define-seed.ts';
import { configJsonSchema } from './config-json-schema.ts';

const hide = defineProcessor({
  type: 'hide',
  schema: z.strictObject({ ...processorFields('hide', 'Hides all.') }),
  stage: 'post_batch',
  drops: () => true,
});
const words = defineSeed({
  type: 'words',
  schema: z.strictObject({ ...seedFields('words', 'Some words.') }),
  rows: () => [{ word: 'moon' }],
});
const own = new ColumnRegistry([], {
  processors: [hide],
  seeds: [words],
});
const builtIn = new ColumnRegistry([]);

const declared = {
  columns: [],
  processors: [{ name: 'a', processorType: 'hide' }],
  seedConfig: { source: { seedType: 'words' } },
};

test('a config may use the added types only if they are registered', () => {
  expect(own.shell.safeParse(declared).success).toBe(true);
  const refused = builtIn.shell.safeParse(declared).error?.issues.map(({ path }) => path.join('.'));
  expect(refused).toEqual(['seedConfig.source.seedType', 'processors.0.processorType']);
});

test('a registry holds the built-in types as well as the added ones', () => {
  const dropped = { name: 'a', processorType: 'drop_columns', columnNames: ['b'] };
  const parsed = own.shell.parse({ columns: [], processors: [dropped] });
  expect(own.processorOf(parsed.processors?.[0] ?? { name: '', processorType: '' }).type).toBe('drop_columns');
  expect(own.processorOf({ name: 'a', processorType: 'hide' }).drops?.(undefined as never, 'b')).toBe(true);
  expect(own.seedOf({ seedType: 'words' })?.type).toBe('words');
  expect(own.seedOf({ seedType: 'local' })).toBeUndefined();
  expect(own.seedKindOf({ seedType: 'local' }).readsFiles).toBe(true);
  expect(() => builtIn.seedKindOf({ seedType: 'words' })).toThrow("no seed type 'words'");
});

test('the JSON Schema of a config includes the added types', () => {
  expect(JSON.stringify(configJsonSchema([], { declaration: own.shell }))).toMatch(/"words".*"hide"|"hide".*"words"/);
  expect(JSON.stringify(configJsonSchema([], { declaration: builtIn.shell }))).not.toContain('"hide"');
});
