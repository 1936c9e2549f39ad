import { expect, test } from 'vitest';
import { readFences } from './fences.ts';

const fencesIn = (...lines: string[]) => readFences(lines.join('\n')).fences;

test('finds blocks in order, with the first word after the fence as their label', () => {
  expect(fencesIn('A:', '```sql', 'select 1', '```', '~~~ go title="x"', 'x := 1', '~~~')).toEqual([
    { label: 'sql', body: 'select 1' },
    { label: 'go', body: 'x := 1' },
  ]);
});

test('returns the text outside the blocks separately', () => {
  expect(readFences('Here:\n```\nx\n```\nThat is all.').outside).toBe('Here:\nThat is all.');
});

test('a last block without a closing fence counts', () => {
  expect(fencesIn('```ruby', 'puts 1')).toEqual([{ label: 'ruby', body: 'puts 1' }]);
});

test('a fence at the end of a line of code does not close the block', () => {
  expect(fencesIn('```js', 'const fence = x + ```', 'a ~~~', '```', 'b')).toEqual([
    { label: 'js', body: 'const fence = x + ```\na ~~~' },
  ]);
});

test('a block can contain shorter fences and fences of the other kind', () => {
  expect(fencesIn('````', '```', 'a', '```', '````')).toEqual([{ label: '', body: '```\na\n```' }]);
  expect(fencesIn('~~~', '```', '~~~')).toEqual([{ label: '', body: '```' }]);
});

test('an indented block loses only the indentation of its fence', () => {
  expect(fencesIn('1. So:', '', '   ```c', '   int x;', '     int y;', ' int z;', '   ```')).toEqual([
    { label: 'c', body: 'int x;\n  int y;\nint z;' },
  ]);
});

test('inline code is not a block', () => {
  expect(fencesIn('Use ```x``` or `y`.', '```code``` too')).toEqual([]);
});

test('a fence can follow a tag on the same or the next line', () => {
  expect(fencesIn('</think>', '```js', '1', '```')).toEqual([{ label: 'js', body: '1' }]);
  expect(fencesIn('<answer>```js', '1', '```', '</answer>')).toEqual([{ label: 'js', body: '1' }]);
});

test('lines can end with CRLF', () => {
  expect(readFences('\r\n```js \r\na\r\nb\r\n``` \r\nc').fences).toEqual([{ label: 'js', body: 'a\r\nb' }]);
  expect(readFences('\r\n\r\n a\r\n').outside).toBe(' a');
  expect(readFences('x\r```js\ra\r```\ry').fences).toEqual([{ label: 'js', body: 'a' }]);
});

test('thinking and its blocks are not part of the answer, even without a closing tag', () => {
  expect(readFences('<think>\n```js\nno\n```\n</think>\nyes')).toEqual({ fences: [], outside: 'yes' });
  expect(readFences('<think>a ```js\nno\n```</think>\n```js\nyes\n```').fences).toEqual([{ label: 'js', body: 'yes' }]);
  expect(readFences('Well.\n<think>\n```js\nno')).toEqual({ fences: [], outside: 'Well.' });
});

test('thinking without an opening tag ends at the closing tag', () => {
  expect(readFences('So:\n```js\nno\n```\nyes.\n</think>\n\nDone.')).toEqual({ fences: [], outside: 'Done.' });
});

test('tags inside a block are text', () => {
  expect(fencesIn('```xml', '<think>', '</think>', '```')).toEqual([{ label: 'xml', body: '<think>\n</think>' }]);
});

test('the tag that closes thinking can follow a fence on the same line', () => {
  expect(fencesIn('So:', '```js', 'no', '```</think>', '```js', 'yes', '```')).toEqual([{ label: 'js', body: 'yes' }]);
});

test('the first line outside the blocks keeps its indentation, which can mark code', () => {
  expect(readFences('<think>So.</think>\n\n    x = 1\n').outside).toBe('    x = 1');
});

test('long runs of fences and tags are read in linear time', { tags: 'long' }, () => {
  const marks = '``` <think> </think> ~~~ > '.repeat(40_000);
  expect(readFences(marks).fences.length).toBeLessThan(2);
  expect(readFences(`x${marks}`).fences).toEqual([]);
  expect(readFences('```\n'.repeat(40_001)).fences).toHaveLength(20_001);
  expect(readFences(' '.repeat(400_000) + '```').fences).toHaveLength(1);
});
