import { expect, test } from 'vitest';
import type { Row } from '@data-designer/core';
import { compileTemplate } from '../index.ts';

const render = (source: string, record: Row): string => compileTemplate(source, { mode: 'native' })(record);

const LONG = 'The lazy dog -- said a well-known extraordinarilylongword and co-operating ab-cd.';

test.each([
  [
    '{{ v | wordwrap(9) }}',
    'one\ntwo three four five six\n\nseven  eight',
    'one\ntwo three\nfour five\nsix\n\nseven\neight',
  ],
  ['{{ v | wordwrap }}', 'short  lines\nstay', 'short  lines\nstay'],
  [
    '{{ v | wordwrap(7, false) }}',
    LONG,
    'The\nlazy\ndog --\nsaid a\nwell-\nknown\nextraordinarilylongword\nand co-\noperating\nab-cd.',
  ],
  [
    "{{ v | wordwrap(10, true, '|') }}",
    LONG,
    'The lazy|dog --|said a|well-known|extraordin|arilylongw|ord and|co-|operating|ab-cd.',
  ],
  [
    '{{ v | wordwrap(10, break_on_hyphens=false) }}',
    LONG,
    'The lazy\ndog --\nsaid a\nwell-known\nextraordin\narilylongw\nord and co\n-operating\nab-cd.',
  ],
])('%s of %j gives %j', (source, text, wrapped) => {
  expect(render(source, { v: text })).toBe(wrapped);
});

test.each([
  [{ b: [1, 2], a: 'x' }, "{'a': 'x', 'b': [1, 2]}"],
  [
    { name: 'x'.repeat(30), list: ['a'.repeat(40), 'b'.repeat(40)] },
    `{'list': ['${'a'.repeat(40)}',\n          '${'b'.repeat(40)}'],\n 'name': '${'x'.repeat(30)}'}`,
  ],
  [
    'lorem ipsum dolor sit amet '.repeat(4),
    "('lorem ipsum dolor sit amet lorem ipsum dolor sit amet lorem ipsum dolor sit '\n 'amet lorem ipsum dolor sit amet ')",
  ],
  [[`line one\n${'two '.repeat(20)}`], `['line one\\n'\n '${'two '.repeat(19)}'\n 'two ']`],
  ['x'.repeat(100), `'${'x'.repeat(100)}'`],
])('pprint of %j gives %j', (value, text) => {
  expect(render('{{ v | pprint }}', { v: value })).toBe(text);
});

test.each([
  ['see http://a.com/x(y).', 'see <a href="http://a.com/x(y)" rel="noopener">http://a.com/x(y)</a>.'],
  ['(www.b.org),', '(<a href="https://www.b.org" rel="noopener">www.b.org</a>),'],
  ['me@x.io @a@b', '<a href="mailto:me@x.io">me@x.io</a> @a@b'],
  ['mailto:q@w.de', '<a href="mailto:q@w.de">q@w.de</a>'],
  ['<b> ftp://z', '&lt;b&gt; ftp://z'],
])('urlize of %j gives %j', (text, html) => {
  expect(render('{{ v | urlize }}', { v: text })).toBe(html);
});

test('urlize takes a limit, nofollow, a target and further schemes', () => {
  const source = "{{ v | urlize(8, true, target='_blank', extra_schemes=['ftp:']) }}";
  expect(render(source, { v: 'http://a.com ftp://z' })).toBe(
    '<a href="http://a.com" rel="nofollow noopener" target="_blank">http://a...</a> ' +
      '<a href="ftp://z" rel="nofollow noopener" target="_blank">ftp://z</a>',
  );
});

test('xmlattr omits None, and refuses names with a space', () => {
  const source = '{{ v | xmlattr }}|{{ v | xmlattr(false) }}';
  expect(render(source, { v: { class: 'a<b', gone: null, id: 5 } })).toBe(
    ' class="a&lt;b" id="5"|class="a&lt;b" id="5"',
  );
  expect(() => render(source, { v: { 'a b': 1 } })).toThrow(expect.objectContaining({ code: 'template/record' }));
});
