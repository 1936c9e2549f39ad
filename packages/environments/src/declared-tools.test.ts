import { parseJson } from '@data-designer/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { toolFields, toolOf, toolsOfRow } from './declared-tools.ts';

const schema = z.strictObject({ ...toolFields, outputSchema: z.record(z.string(), z.unknown()).exactOptional() });
const SCHEMAS = { output_schema: 'outputSchema' };
const parameters = { type: 'object', properties: { n: { type: 'integer', minimum: 1, maximum: 2 ** 63 } } };
const TEXT = '{"type":"object","properties":{"n":{"type":"integer","minimum":1.0,"maximum":9223372036854775808}}}';

test('reads the tools of a row as a value or as JSON text, with schemas as plain numbers', () => {
  const tool = { name: 'add', description: '', parameters };
  const given = [{ name: 'add', parameters: TEXT }, parseJson(`{"name":"get","parameters":${TEXT}}`)];
  const read = [tool, { ...tool, name: 'get' }];
  expect(toolsOfRow(schema, given)).toEqual(read);
  expect(toolsOfRow(schema, `[{"name":"add","parameters":${TEXT}}]`)).toEqual([tool]);
});

test('members without a value are absent, and a kind may have further schemas', () => {
  const given = [{ name: 'add', description: null, parameters: null, output_schema: '{"type":"integer"}' }];
  const empty = { type: 'object', properties: {} };
  const read = { name: 'add', description: '', parameters: empty, outputSchema: { type: 'integer' } };
  expect(toolsOfRow(schema, given, SCHEMAS)).toEqual([read]);
  expect(() => toolsOfRow(schema, given)).toThrow(
    'its tools cannot be read: tools.0: Unrecognized key: "output_schema"',
  );
});

test.each([
  ['[', 'its tools is no JSON: "["'],
  [null, 'its tools cannot be read: tools: '],
  [[{ name: '' }], 'its tools cannot be read: tools.0.name: '],
  [[{ name: 'add', parameters: '{' }], 'its parameters of a tool is no JSON: "{"'],
  [[{ name: 'add' }, { name: 'add' }], "it has two tools named 'add'"],
])('refuses %j', (given, reason) => {
  expect(() => toolsOfRow(schema, given)).toThrow(reason);
});

test('models are told of the type of arguments also where the schema leaves it out', () => {
  const properties = { n: { type: 'integer' } };
  const tool = { name: 'add', description: 'Adds.', parameters: { properties }, sql: 'SELECT 1' };
  expect(toolOf(tool)).toEqual({ name: 'add', description: 'Adds.', parameters: { properties, type: 'object' } });
});
