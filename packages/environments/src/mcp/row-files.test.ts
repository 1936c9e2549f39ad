import type { CellValue } from '@data-designer/core';
import { expect, test } from 'vitest';
import { mcp } from './mcp.ts';
import { checkFiles, filesOf } from './row-files.ts';

const config = (files: Record<string, string> | string) => {
  return mcp.schema.parse({ name: 'disk', kind: 'mcp', provider: 'files', files });
};
/** The files of a template that gives an object. */
const given = (files: CellValue) => filesOf(config('{{ files }}'), { files });

test.each([
  ['../secret', 'has . or .. in it'],
  ['notes/../../secret', 'has . or .. in it'],
  ['./a', 'has . or .. in it'],
  ['/etc/passwd', 'has an empty name'],
  ['a//b', 'has an empty name'],
  ['', 'has an empty name'],
  ['C:/a', 'is not relative'],
  ['a\\b', 'has a character that no path may have'],
  ['a\0b', 'has a character that no path may have'],
  ['a\nb', 'has a character that no path may have'],
  ['x'.repeat(201), 'is too long'],
  ['y/'.repeat(600) + 'y', 'is too long'],
])('the path %j is refused, before a run and in one', (path, reason) => {
  expect(checkFiles(config({ [path]: 'text' }))).toMatchObject([
    { field: ['files', path], message: expect.stringContaining(reason) as string },
  ]);
  expect(() => given({ [path]: 'text' })).toThrow(reason);
});

/** What the paths and texts of a test render. */
const values = (path: string) => ({ 'files.{{ who }}.txt.path': path, 'files.{{ who }}.txt': 'of Mia' });

test('paths that are templates are checked when they are rendered', () => {
  const templates = config({ '{{ who }}.txt': 'of {{ who }}' });
  expect(checkFiles(templates)).toEqual([]);
  expect(mcp.templates(templates).map(({ source, field }) => [source, field.join('.')])).toEqual([
    ['{{ who }}.txt', 'files.{{ who }}.txt.path'],
    ['of {{ who }}', 'files.{{ who }}.txt'],
  ]);
  expect(filesOf(templates, values('mia.txt'))).toEqual({ 'mia.txt': 'of Mia' });
  expect(() => filesOf(templates, values('../mia.txt'))).toThrow('has . or .. in it');
});

test('texts without a template are written as they are, and templates keep their last line break', () => {
  const files = config({
    'empty.txt': '',
    'lines.txt': 'a\r\n\n',
    '{{ who }}.txt': 'of {{ who }}\n',
    'none.txt': '{{ who }}',
  });
  expect(mcp.templates(files).map(({ field }) => field.join('.'))).toEqual([
    'files.{{ who }}.txt.path',
    'files.{{ who }}.txt',
    'files.none.txt',
  ]);
  expect(filesOf(files, { ...values('mia.txt'), 'files.none.txt': 'Mia' })).toEqual({
    'empty.txt': '',
    'lines.txt': 'a\r\n\n',
    'mia.txt': 'of Mia\n',
    'none.txt': 'Mia',
  });
});

test('files may be an object, also as JSON, or none', () => {
  expect(given({ 'a/b.txt': 'b', c: '' })).toEqual({ 'a/b.txt': 'b', c: '' });
  expect(given('{"a":"1"}')).toEqual({ a: '1' });
  expect([given(null), given(''), filesOf(mcp.schema.parse({ name: 'd', kind: 'mcp', provider: 'p' }), {})]).toEqual([
    {},
    {},
    {},
  ]);
  expect(() => given('text')).toThrow('its files are no object of texts by path: "\\"text\\""');
  expect(() => given([1])).toThrow('no object of texts by path');
  expect(() => given({ a: 1 })).toThrow('the file "a" is no text: "1"');
});

test.each([
  [{ a: '1', A: '2' }, '"A"'],
  [{ a: '1', 'a/b': '2' }, '"a"'],
  [{ 'x/y/z': '1', 'X/y': '2' }, '"X/y"'],
])('%j cannot both be files', (files, path) => {
  expect(() => given(files as unknown as CellValue)).toThrow(`two files cannot both be at ${path}`);
});

test('files have bounds', () => {
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`f${at}`, '']));
  expect(() => given(many)).toThrow('its folder begins with 1001 files; at most 1000 may be');
  expect(() => given({ a: 'x'.repeat(32 * 1024 * 1024 + 1) })).toThrow('at most 33554432 may be');
});
