import { expect, test } from 'vitest';
import { lastUnfencedCode } from './unfenced-code.ts';

test.each([
  ['lines indented by four after an empty one', 'Look:\n\n    a\n    b\n\nDone.', 'a\nb'],
  ['a tab', 'Look:\n\n\ta\n', 'a'],
  ['lines apart', 'Look:\n\n    a\n\n      b\nDone.', 'a\n\n  b'],
  ['the last of several', '    a\n\nthen\n\n    b', 'b'],
  ['behind a list that has ended', '- one\n\nThen:\n\n    b', 'b'],
  ['HTML', 'So: <pre><code class="x">a &lt; b &amp;&amp; c</code></pre>.', 'a < b && c'],
  ['HTML without an end of its own', '<pre>\n<code>a</code> <pre><code>b', 'a'],
  ['HTML before lines', '<pre><code>a</code></pre>\n\n    b', 'b'],
  ['lines before HTML', '    b\n\n<pre><code>a</code></pre>', 'a'],
])('%s', (_, text, code) => {
  expect(lastUnfencedCode(text)).toBe(code);
});

test.each([
  ['nothing', ''],
  ['a paragraph that goes on', 'Look:\n    a'],
  ['what belongs to a list item', '1. Do this:\n\n    and that'],
  ['less than four', 'Look:\n\n   a'],
  ['inline code', 'Use `a` or <code>b</code>.'],
])('%s is not code', (_, text) => {
  expect(lastUnfencedCode(text)).toBeUndefined();
});
