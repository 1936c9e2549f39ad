import { expect, test } from 'vitest';
import { parseJson } from '@data-designer/core';
import { readToolRequest, writeToolRequest } from './tool-request.ts';

test('a tool request keeps every digit of its arguments', () => {
  const text = '{"id":12345678901234567890,"list":[9007199254740993],"half":0.5,"none":null}';
  const body = writeToolRequest({ name: 'find', arguments: parseJson(text) as Record<string, unknown> });
  const { name, arguments: args } = readToolRequest(body);
  expect(name).toBe('find');
  expect(JSON.stringify(args)).toBe(text);
});

test('an integral float reaches a tool as a plain number', () => {
  expect(readToolRequest('{"name":"f","arguments":{"x":1.0}}').arguments).toEqual({ x: 1 });
});

test('half a character in arguments reaches a server as U+FFFD', () => {
  const body = writeToolRequest({ name: 'f', arguments: { x: 'a\uD83D', '\uDE00': [1] } });
  expect(readToolRequest(body).arguments).toEqual({ x: 'a\uFFFD', '\uFFFD': [1] });
});
