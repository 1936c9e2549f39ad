import { expect, test } from 'vitest';
import { redactor } from '@data-designer/core/redact';
import { StderrTail } from './stderr-tail.ts';

const KEY = 'a-key-of-the-server+/=';

/** The tail of a text that arrived in pieces of 1,000 bytes. */
function tailOf(text: string): string {
  const tail = new StderrTail(redactor([KEY]));
  for (let at = 0; at < text.length; at += 1000) tail.add(Buffer.from(text.slice(at, at + 1000)));
  return tail.text;
}

test('no part of a key is shown, wherever a long line is cut', () => {
  for (let behind = 4096 - KEY.length; behind <= 4096; behind++) {
    const text = tailOf(`${'x'.repeat(9000)}${KEY}${'y'.repeat(behind)}`);
    expect(text.replaceAll(/\[secret\]|[xy]|secret\]/g, '').length).toBeLessThan('[secret]'.length);
    expect(text).not.toContain(KEY.slice(-5));
  }
  for (let behind = 8192 - KEY.length; behind <= 8192; behind++) {
    expect(tailOf(`${'x'.repeat(9000)}${KEY}${'y'.repeat(behind)}`)).toMatch(/^y*$/);
  }
});

test('a cut text starts with a whole line', () => {
  expect(tailOf(`${'z'.repeat(9000)}\nlast words with ${KEY}\n`)).toBe('last words with [secret]');
});
