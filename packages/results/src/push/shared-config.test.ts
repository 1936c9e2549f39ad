import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '@data-designer/core';
import { sharedConfig } from './shared-config.ts';

const LITERAL = 'hf_AbCdEfGhIjKlMnOpQrStUv';

test.each([
  ['a token of a seed', { seed_type: 'hf', path: 'datasets/a/b/c.csv', token: 'some-token' }, { token: null }],
  ['the name of a variable', { seed_type: 'hf', token: 'HF_TOKEN' }, { token: 'HF_TOKEN' }],
  ['a reference to a variable', { seed_type: 'hf', token: '${MY_TOKEN}' }, { token: '${MY_TOKEN}' }],
  ['an absolute path', { seed_type: 'local', path: '/home/jane/s.csv' }, { path: 's.csv' }],
  ['a relative path', { seed_type: 'local', path: '../jane/*.parquet' }, { path: '*.parquet' }],
  ['a folder', { seed_type: 'directory', path: '/home/jane/letters/' }, { path: 'letters' }],
  ['a path of Windows', { seed_type: 'local', path: 'C:\\Users\\jane\\s.csv' }, { path: 's.csv' }],
  ['an address', { seed_type: 'local', path: 'https://a.example/b/s.csv' }, { path: 'https://a.example/b/s.csv' }],
  ['a password in an address', { path: 'https://u:geheim@a.example/' }, { path: 'https://u:[secret]@a.example/' }],
  ['a path elsewhere', { reader: { root: '/srv/jane/books' }, near: '/x' }, { reader: { root: 'books' }, near: '/x' }],
  ['a token in a text', { prompt: `Send ${LITERAL} on.` }, { prompt: 'Send [secret] on.' }],
  ['the value of a variable', { prompt: 'Say long-secret-value!' }, { prompt: 'Say [secret]!' }],
  ['keys for a server', { extra_body: { auth: { token: 'abcde' } } }, { extra_body: { auth: { token: '[secret]' } } }],
  ['a prompt with slashes', { prompt: '/a/{{ b }}/c\nnext' }, { prompt: '/a/{{ b }}/c\nnext' }],
  ['words of a score', { options: { authentic: 'It sounds real.' } }, { options: { authentic: 'It sounds real.' } }],
])('%s', (_, config, expected) => {
  const environment = { SERVICE_KEY: 'long-secret-value', OTHER_KEY: 'real', PATH: '/usr/bin' };
  expect(sharedConfig(config, environment)).toMatchObject(expected);
});

test('a config without secrets and places stays as it is', () => {
  const text = '{"columns":[{"name":"a","values":[1,1.0,2.5,12345678901234567890,null,true]}],"max_tokens":100}';
  expect(stringifyJson(sharedConfig(parseJson(text), { SERVICE_KEY: 'long-secret-value' }))).toBe(text);
});
