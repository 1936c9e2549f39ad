import { expect, test } from 'vitest';
import { escapeHtml } from './escape-html.ts';

test.each([
  ['<script>', '&lt;script&gt;'],
  [`"'&`, '&quot;&#39;&amp;'],
  ['a\u202eb\u0000c', 'a b c'],
  ['half \ud83d', 'half \ufffd'],
])('%j is escaped as %j', (text, escaped) => {
  expect(escapeHtml(text)).toBe(escaped);
});

test('long text is cut before it is escaped', () => {
  expect(escapeHtml('<<<', 2)).toBe('&lt;&lt;…');
});
