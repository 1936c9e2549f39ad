import { expect, test } from 'vitest';
import { highlightCode } from './highlight-code.ts';

const LANGUAGES = ['bash', 'c', 'cpp', 'csharp', 'go', 'java', 'javascript', 'kotlin', 'python', 'ruby', 'rust'];

test.each([...LANGUAGES, 'scala', 'swift', 'typescript', 'sql:tsql'])(
  'strings and keywords are recognised in %s',
  async (language) => {
    const code = language.startsWith('sql') ? "SELECT 'a' FROM t -- 1" : 'if (x) { return "a"; } // or # 1';
    const tokens = await highlightCode(code, language);
    expect(tokens.map(({ text }) => text).join('')).toBe(code);
    expect(tokens.map(({ kind }) => kind)).toContain('string');
    expect(tokens.map(({ kind }) => kind)).toContain('keyword');
  },
);

test('HTML characters in code stay unchanged', async () => {
  const code = 'x = a < b && "<b>&amp;\'</b>"';
  expect((await highlightCode(code, 'python')).map(({ text }) => text).join('')).toBe(code);
});

test('code in an unknown language and very long code stay one piece', async () => {
  expect(await highlightCode('DISPLAY "A".', 'cobol')).toEqual([{ text: 'DISPLAY "A".', kind: '' }]);
  expect(await highlightCode('x = 1\n'.repeat(20_000), 'python')).toHaveLength(1);
});
