import { describe, expect, test } from 'vitest';
import { type CellValue, Float, ParseFailure, parseJson } from '@data-designer/core';
import type { JsonSchema } from '@data-designer/json-schema';
import { compileAnswer } from './compile-answer.ts';

function accept(schema: JsonSchema, json: string): CellValue {
  const accepted = compileAnswer(schema);
  if (!accepted) throw new Error('the schema does not compile');
  return accepted(parseJson(json));
}

const text = { type: 'string' };
const whole = { type: 'integer' };
/** JSON objects nested under `next`, with the text `more` at the end of each level. */
const nested = (levels: number, more: string) => `${'{"next":'.repeat(levels)}null${`${more}}`.repeat(levels)}`;
const object = (properties: JsonSchema, more: JsonSchema = {}) => ({ type: 'object', properties, ...more });

describe('undeclared properties', () => {
  test('are removed at any depth, even with additionalProperties: true', () => {
    const schema = object({ a: object({ b: whole }), l: { type: 'array', items: object({ b: whole }) } });
    expect(accept(schema, '{"a":{"b":1,"x":2},"l":[{"b":1,"x":2}],"x":3}')).toEqual({ a: { b: 1 }, l: [{ b: 1 }] });
    expect(accept(object({ a: whole }, { additionalProperties: true }), '{"a":1,"x":2}')).toEqual({ a: 1 });
    expect(accept({ type: 'object', description: 'Not bare.' }, '{"x":1}')).toEqual({});
  });

  test('are kept in free-form objects and maps', () => {
    expect(accept({ type: 'object' }, '{"x":{"y":1}}')).toEqual({ x: { y: 1 } });
    expect(accept({ type: 'object', title: 'T' }, '{"x":1}')).toEqual({ x: 1 });
    expect(accept({ type: 'object', additionalProperties: whole }, '{"x":1}')).toEqual({ x: 1 });
    expect(() => accept({ type: 'object', additionalProperties: whole }, '{"x":"1"}')).toThrow(/'x' must be of type/);
  });

  test('exclude those declared by an allOf part, a reference or a pattern', () => {
    const schema = {
      $defs: { Named: object({ name: text }) },
      allOf: [{ $ref: '#/$defs/Named' }, object({ age: whole })],
      patternProperties: { '^x-': text },
    };
    expect(accept(schema, '{"name":"A","age":3,"x-y":"z","no":1}')).toEqual({ name: 'A', age: 3, 'x-y': 'z' });
  });

  test('are removed from a copy of the answer', () => {
    const answer = { a: 1, x: 2 };
    expect(compileAnswer(object({ a: whole }))?.(answer)).toEqual({ a: 1 });
    expect(answer).toEqual({ a: 1, x: 2 });
  });
});

describe('checking an answer', () => {
  const person = object({ name: text, age: whole }, { required: ['name'] });
  const schemas: readonly JsonSchema[] = [
    person,
    { $defs: { Person: person }, $ref: '#/$defs/Person' },
    { anyOf: [person, { type: 'null' }] },
    { oneOf: [person, { type: 'null' }] },
    { 'x-parts': { Person: person }, $ref: '#/x-parts/Person' },
    { allOf: [person, object({ name: text })] },
    { ...person, ...(JSON.parse('{"if":{"required":["age"]},"then":{"minProperties":2}}') as JsonSchema) },
  ];

  test.each(schemas)('accepts a matching answer unchanged: %j', (schema) => {
    const answer = { name: 'Ada', age: 36 };
    expect(compileAnswer(schema)?.(answer)).toEqual(answer);
    expect(accept(schema, '{"name":"Ada","age":36.0}')).toEqual({ name: 'Ada', age: new Float(36) });
  });

  test.each(schemas)('removes undeclared properties and rejects wrong types: %j', (schema) => {
    expect(accept(schema, '{"name":"Ada","more":1}')).toEqual({ name: 'Ada' });
    expect(() => accept(schema, '{"name":1}')).toThrow(ParseFailure);
  });

  test('rejects a float in place of an object', () => {
    expect(() => accept(object({ a: { type: 'object' } }), '{"a":1.0}')).toThrow(/'a' must be of type object/);
  });
});

describe('branches', () => {
  const small = object({ a: whole }, { required: ['a'] });
  const large = object({ a: whole, b: whole }, { required: ['a', 'b'] });

  test('of anyOf and oneOf: the branch that keeps the most properties wins', () => {
    expect(accept({ anyOf: [small, large] }, '{"a":1,"b":2,"c":3}')).toEqual({ a: 1, b: 2 });
    expect(accept({ oneOf: [small, large] }, '{"a":1,"b":2,"c":3}')).toEqual({ a: 1, b: 2 });
    expect(accept({ anyOf: [small, large] }, '{"a":1,"b":"x"}')).toEqual({ a: 1 });
  });

  test('of oneOf exclude each other', () => {
    expect(() => accept({ oneOf: [{ multipleOf: 3 }, { multipleOf: 5 }] }, '15')).toThrow(/exactly one/);
    expect(accept({ oneOf: [{ multipleOf: 3 }, { multipleOf: 5 }] }, '9')).toBe(9);
  });

  test('that do not match do not affect the result', () => {
    const schema = object({ pet: { anyOf: [object({ meow: text }, { required: ['meow'] }), object({ bark: text })] } });
    expect(accept(schema, '{"pet":{"bark":"!","x":1}}')).toEqual({ pet: { bark: '!' } });
  });

  test('of a condition apply only if the condition selects them', () => {
    const condition = `{
      "if": { "properties": { "kind": { "const": "car" } } },
      "then": { "properties": { "doors": { "type": "integer" } } },
      "else": { "properties": { "gears": { "type": "integer" } } }
    }`;
    const schema = object({ kind: text }, JSON.parse(condition) as JsonSchema);
    expect(accept(schema, '{"kind":"car","doors":5,"gears":6}')).toEqual({ kind: 'car', doors: 5 });
    expect(accept(schema, '{"kind":"bike","doors":5,"gears":6}')).toEqual({ kind: 'bike', gears: 6 });
  });

  test('in a deep recursive value are tried in reasonable time', () => {
    const schema = {
      $defs: {
        Node: object({ next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] } }, { required: ['next'] }),
      },
      $ref: '#/$defs/Node',
    };
    expect(accept(schema, nested(60, ',"x":1'))).toEqual(parseJson(nested(60, '')));
  });
});

describe('the discriminator of a oneOf', () => {
  const branch = (kind: string, properties: JsonSchema) =>
    object({ kind: { const: kind }, ...properties }, { required: ['kind', ...Object.keys(properties)] });
  const schema = {
    $defs: { Disc: branch('disc', { radius: whole }), Box: branch('box', { side: whole }) },
    ...object({
      shape: {
        oneOf: [{ $ref: '#/$defs/Disc' }, { $ref: '#/$defs/Box' }],
        discriminator: { propertyName: 'kind', mapping: { disc: '#/$defs/Disc', box: '#/$defs/Box' } },
      },
    }),
  };

  /** Branches without a constant, told apart by the mapping alone. */
  const numbered = (mapping: Record<string, string>) => ({
    $defs: {
      One: object({ v: {}, a: whole }, { required: ['v', 'a'] }),
      Yes: object({ v: {}, b: whole }, { required: ['v', 'b'] }),
    },
    oneOf: [{ $ref: '#/$defs/One' }, { $ref: '#/$defs/Yes' }],
    discriminator: { propertyName: 'v', mapping },
  });

  test('selects the branch named by the tag', () => {
    expect(accept(schema, '{"shape":{"kind":"box","side":2,"radius":1}}')).toEqual({ shape: { kind: 'box', side: 2 } });
  });

  test('limits errors to the selected branch, or to an unknown tag', () => {
    expect(() => accept(schema, '{"shape":{"kind":"box"}}')).toThrow(/'shape' lacks the required property 'side'/);
    expect(() => accept(schema, '{"shape":{"kind":"egg"}}')).toThrow(/'shape.kind' must be one of "disc", "box"/);
  });

  test('compares tags as text, because the keys of a mapping are text', () => {
    const plain = numbered({ '1': '#/$defs/One', True: '#/$defs/Yes', '2.5': '#/$defs/One' });
    expect(accept(plain, '{"v":1,"a":2,"x":3}')).toEqual({ v: 1, a: 2 });
    expect(accept(plain, '{"v":2.5,"a":2}')).toEqual({ v: 2.5, a: 2 });
    expect(accept(plain, '{"v":true,"b":2,"a":1}')).toEqual({ v: true, b: 2 });
    expect(() => accept(plain, '{"v":3,"a":2}')).toThrow(ParseFailure);
  });

  test('is inferred if every branch requires a distinct tag value', () => {
    const plain = { oneOf: [branch('disc', { radius: whole }), branch('box', { side: whole })] };
    expect(accept(plain, '{"kind":"box","side":2,"radius":1}')).toEqual({ kind: 'box', side: 2 });
    expect(() => accept(plain, '{"kind":"box"}')).toThrow(/the answer lacks the required property 'side'/);
    expect(() => accept(plain, '{"kind":"egg"}')).toThrow(/'kind' must be one of "disc", "box"/);
    expect(() => accept(plain, '{"side":2}')).toThrow(/lacks the required property 'kind'/);
  });

  test('is not inferred if two branches share a tag value', () => {
    const plain = { oneOf: [branch('disc', { radius: whole }), branch('disc', { side: whole })] };
    expect(accept(plain, '{"kind":"disc","side":2}')).toEqual({ kind: 'disc', side: 2 });
    expect(() => accept(plain, '{"kind":"disc"}')).toThrow(ParseFailure);
  });

  test('works without references and in recursive schemas', () => {
    const tree = {
      $defs: {
        Tree: {
          oneOf: [
            branch('leaf', { n: whole }),
            branch('fork', { of: { type: 'array', items: { $ref: '#/$defs/Tree' } } }),
          ],
          discriminator: { propertyName: 'kind' },
        },
      },
      $ref: '#/$defs/Tree',
    };
    const answer = '{"kind":"fork","of":[{"kind":"leaf","n":1,"x":0},{"kind":"fork","of":[]}]}';
    expect(accept(tree, answer)).toEqual({
      kind: 'fork',
      of: [
        { kind: 'leaf', n: 1 },
        { kind: 'fork', of: [] },
      ],
    });
  });
});

describe('numbers', () => {
  test('an integral float stays a float and satisfies an integer schema', () => {
    expect(accept(object({ n: { type: 'number' }, i: whole }), '{"n":2.0,"i":3.0,"x":1.0}')).toEqual({
      n: new Float(2),
      i: new Float(3),
    });
  });

  test('integers beyond 2^53 keep their digits; an integer schema rejects values beyond 64 bits', () => {
    expect(accept(object({ i: whole }), '{"i":9007199254740993}')).toEqual({ i: 9007199254740993n });
    expect(accept({ type: 'number' }, '99999999999999999999')).toBe(99999999999999999999n);
    expect(accept(object({ i: whole }), '{"i":9223372036854775807}')).toEqual({ i: 9223372036854775807n });
    expect(accept(object({ i: whole }), '{"i":-9223372036854775808}')).toEqual({ i: -9223372036854775808n });
    expect(() => accept(object({ i: whole }), '{"i":9223372036854775808}')).toThrow(
      /'i' must fit in 64 bits, from -9223372036854775808 to/,
    );
    expect(() => accept(object({ i: whole }), '{"i":1e300}')).toThrow(/'i' must fit in 64 bits/);
    expect(() => accept(object({ i: whole }), '{"i":-9223372036854775809}')).toThrow(/'i' must fit in 64 bits/);
    const parts = { ...object({ i: { $ref: '#/x-parts/Whole' } }), 'x-parts': { Whole: whole } };
    expect(() => accept(parts, '{"i":9223372036854775808}')).toThrow(/'i' must fit in 64 bits/);
  });

  test('errors quote numbers with the digits that the model wrote', () => {
    const list = object({ l: { type: 'array', items: whole } });
    expect(() => accept(list, '{"more":1,"l":[1,12345678901234567890]}')).toThrow(
      /'l\[1\]' must fit in 64 bits, .*, but it is 12345678901234567890\./,
    );
    const small = object({ i: { type: 'integer', maximum: 5 }, n: { type: 'string' } });
    expect(() => accept(small, '{"i":12345678901234567}')).toThrow(/must be <= 5, but it is 12345678901234567\./);
    expect(() => accept(small, '{"n":12345678901234567891}')).toThrow(
      /of type string, but it is 12345678901234567891\./,
    );
    expect(() => accept(small, '{"n":1.0}')).toThrow(/of type string, but it is 1\.0\./);
  });

  test('an error about a property name quotes the name, not the object', () => {
    const schema = { type: 'object', propertyNames: { pattern: '^a' }, additionalProperties: whole };
    expect(() => accept(schema, '{"b":1}')).toThrow(/but it is "b"/);
  });

  test('schema bounds can be floats', () => {
    const schema = { type: 'number', minimum: new Float(2), enum: [new Float(3), 4] } as unknown as JsonSchema;
    expect(accept(schema, '3')).toBe(3);
    expect(() => accept(schema, '1')).toThrow(ParseFailure);
  });
});

describe('decimals', () => {
  const price = {
    anyOf: [
      { type: 'number', minimum: 1 },
      { type: 'string', pattern: '^\\d*\\.?\\d{0,2}$' },
    ],
  };

  test.each([
    ['3.999', new Float(4)],
    ['1.005', 1.01],
    ['4.345', 4.35],
    ['"6.5"', 6.5],
    ['8', new Float(8)],
    ['1e21', new Float(1e21)],
  ])('%s becomes a float rounded half up', (json, value) => {
    expect(accept(object({ price }), `{"price":${json}}`)).toEqual({ price: value });
  });

  test.each([
    ['2.505', 2.505],
    ['8', 8],
    ['"2.50"', 2.5],
    ['" -1e3 "', -1000],
    ['null', null],
  ])('without limited places, %s becomes a number', (json, value) => {
    const open = { anyOf: [{ type: 'number' }, { type: 'string', title: 'Text' }, { type: 'null' }] };
    expect(accept(object({ open }), `{"open":${json}}`)).toEqual({ open: value });
    expect(() => accept(object({ open }), '{"open":"n/a"}')).toThrow(/'open' must match pattern .*, but it is "n\/a"/);
  });

  test('a union with text of its own keeps text', () => {
    const either = { anyOf: [{ type: 'number' }, { type: 'string', enum: ['1', 'n/a'] }] };
    expect(accept(object({ either }), '{"either":"1"}')).toEqual({ either: '1' });
  });

  test('are validated before they are rounded', () => {
    expect(() => accept(object({ price }), '{"price":0.999}')).toThrow(/'price' must be >= 1, but it is 0.999/);
    expect(() => accept(object({ price }), '{"price":"1.234"}')).toThrow(/'price'/);
  });

  test('are recognized behind references and branches', () => {
    const schema = { $defs: { Price: price }, anyOf: [object({ p: { $ref: '#/$defs/Price' } }), { type: 'null' }] };
    expect(accept(schema, '{"p":"2.5","n":1.0}')).toEqual({ p: 2.5 });
    expect(accept({ ...object({ p: { anyOf: [...price.anyOf, { type: 'null' }] } }) }, '{"p":null}')).toEqual({
      p: null,
    });
  });
});

describe('the error message of a rejected answer', () => {
  test.each<[string, JsonSchema, string, RegExp]>([
    [
      'names the place and the value',
      object({ l: { type: 'array', items: whole } }),
      '{"l":[1,"x"]}',
      /'l\[1\]' must be of type integer, but it is "x"\./,
    ],
    [
      'takes the mistake nearest the top',
      object({ a: object({ b: whole }) }, { required: ['c'] }),
      '{"a":{"b":"x"}}',
      /lacks the required property 'c'/,
    ],
    [
      'says what the branches are',
      object({ v: { anyOf: [text, { type: 'null' }] } }),
      '{"v":5}',
      /'v' must be string or null, but it is 5\./,
    ],
    [
      'looks into the branch that was meant',
      { anyOf: [object({ n: whole }), { type: 'null' }] },
      '{"n":"x"}',
      /'n' must be of type integer/,
    ],
    [
      'names branches that have no type',
      { anyOf: [{ const: 1 }, { enum: ['a', 'b'] }, { minLength: 9 }] },
      '"c"',
      /must NOT have fewer than 9/,
    ],
    [
      'is not about members that are taken out anyway',
      { oneOf: [object({ a: whole }), object({ b: whole })] },
      '[1]',
      /must be object or object/,
    ],
    ['cuts long values', whole, JSON.stringify('y'.repeat(900)), /y{100,200}…/],
  ])('%s', (...[, schema, json, reason]) => {
    expect(() => accept(schema, json)).toThrow(reason);
    expect(() => accept(schema, json)).toThrow(/<response_schema>/);
  });
});

test('an answer with thousands of errors is rejected quickly, with one error', () => {
  const schema = { type: 'array', items: { anyOf: [text, { type: 'null' }] } };
  const answer = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index));
  expect(() => accept(schema, answer)).toThrow(/'\[0\]' must be/);
});

describe('schemas', () => {
  test('follow the dialect they declare', () => {
    const tuple = { items: [whole, text], additionalItems: false };
    expect(accept({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple }, '[1,"a"]')).toEqual([1, 'a']);
    expect(() => accept({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple }, '[1,"a",2]')).toThrow(
      /items/,
    );
    expect(accept({ $schema: 'https://json-schema.org/draft/2019-09/schema', ...tuple }, '[1,"a"]')).toEqual([1, 'a']);
    expect(() => accept({ prefixItems: [whole], items: false }, '[1,2]')).toThrow(/items/);
  });

  test('can reference themselves by $id', () => {
    const schema = { $id: 'https://a.example/s.json', $defs: { A: whole }, $ref: 'https://a.example/s.json#/$defs/A' };
    expect(accept(schema, '1')).toBe(1);
  });

  test('can contain unknown keywords, unchecked formats and patterns with redundant escapes', () => {
    const schema = object({ d: { type: 'string', format: 'date', hint: 1, pattern: '^[0-9]+\\-x$' } });
    expect(accept(schema, '{"d":"99-x"}')).toEqual({ d: '99-x' });
  });

  test.each([
    [{ type: 'strng' }],
    [{ $ref: 'https://elsewhere.example/x' }],
    [{ $ref: '#/$defs/Missing' }],
    [{ required: 1 }],
    [{ $defs: { A: { $ref: '#/$defs/A' } }, $ref: '#/$defs/A' }],
    [{ anyOf: [{ $ref: '#' }, { type: 'null' }] }],
  ])('%j does not compile', (schema) => {
    expect(compileAnswer(schema)).toBeUndefined();
  });
});
