import { expect, test } from 'vitest';
import { headersOfCall, readParameterHeaders } from './parameter-headers.ts';
import { toolSchema } from './tool-listing.ts';

const listed = (parameters: object) => {
  const schemas = [toolSchema({ name: 'a', description: '', parameters: { type: 'object', ...parameters } })];
  return readParameterHeaders({ schemas, repeatable: new Set() });
};

const marked = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });

test('a call repeats the marked parameters as headers, as Base64 where a header cannot hold them', () => {
  const within = { type: 'object', properties: { id: marked('Tenant', ['integer', 'null']) } };
  const { headers, tools } = listed({
    properties: { region: marked('Region'), dry: marked('Dry', 'boolean'), within, 'x-mcp-header': { type: 'string' } },
  });
  expect(tools.schemas[0]?.sent).toBeUndefined();
  const call = (args: object) => headersOfCall(headers, { name: 'a', arguments: args });
  expect(call({ region: 'us-west1', dry: false, within: { id: -7 }, 'x-mcp-header': 'no' })).toEqual({
    'Mcp-Param-Region': 'us-west1',
    'Mcp-Param-Dry': 'false',
    'Mcp-Param-Tenant': '-7',
  });
  expect(call({ region: null, within: {} })).toEqual({});
  expect(call({ within: null, dry: {} })).toEqual({});
  const texts = ['', ' padded ', 'line1\nline2', 'Grüße', '=?base64?literal?=', 'a b'];
  expect(texts.map((region) => call({ region })['Mcp-Param-Region'])).toEqual([
    '',
    '=?base64?IHBhZGRlZCA=?=',
    '=?base64?bGluZTEKbGluZTI=?=',
    '=?base64?R3LDvMOfZQ==?=',
    '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=',
    'a b',
  ]);
  expect(headersOfCall(headers, { name: 'b', arguments: { region: 'x' } })).toEqual({});
});

const region = marked('Region');

test.each([
  ['is not the name of a header', { properties: { a: marked('') } }],
  ['is not the name of a header', { properties: { a: marked('A B') } }],
  ['is not the name of a header', { properties: { a: marked('A\r\nB') } }],
  ['is not the name of a header', { properties: { a: marked(7) } }],
  ['no string, integer or boolean', { properties: { a: marked('A', 'number') } }],
  ['no string, integer or boolean', { properties: { a: marked('A', null) } }],
  ['no string, integer or boolean', { properties: { a: marked('A', ['string', 'integer']) } }],
  ["the header 'region'", { properties: { a: region, b: marked('region') } }],
  ['without a fixed place', { ...region, type: 'object' }],
  ['without a fixed place', { properties: { a: { type: 'array', items: region } } }],
  ['without a fixed place', { properties: { a: { type: 'array', prefixItems: [region] } } }],
  ['without a fixed place', { properties: { a: { anyOf: [region] } } }],
  ['without a fixed place', { if: { properties: { a: region } } }],
  ['without a fixed place', { patternProperties: { a: region } }],
  ['without a fixed place', { additionalProperties: region }],
  ['without a fixed place', { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: region } }],
])('a tool is left out if its header %s: %j', (reason, parameters) => {
  const { headers, tools } = listed(parameters);
  expect(tools.schemas[0]?.sent).toMatchObject({ dropped: expect.stringContaining(reason) as string });
  expect(headers.size).toBe(0);
});

test('data in a schema marks no parameter', () => {
  const { tools } = listed({ properties: { a: { type: 'string' } }, default: region, examples: [region] });
  expect(tools.schemas[0]?.sent).toBeUndefined();
});
