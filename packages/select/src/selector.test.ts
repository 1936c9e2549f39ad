import { expect, test } from 'vitest';
import type { Row } from '@data-designer/core';
import { createRowSigner } from './row-signer.ts';
import type { SelectRules } from './select-rules.ts';
import { Selector } from './selector.ts';
import { printReason } from './verdict.ts';

/** What the selector says of each row: `ok`, or the reason. */
function select(rules: Partial<SelectRules>, rows: readonly Row[]): string[] {
  const whole = { unique: [], uniqueAgainst: [], ...rules };
  using selector = new Selector(whole);
  const sign = createRowSigner(whole);
  return rows.map((row, index) => {
    const verdict = selector.decide(index, sign(row));
    return verdict.accepted ? 'ok' : printReason(verdict.reason);
  });
}

const EXACT = [{ kind: 'exact', columns: ['question'] }] as const;

test('refuses equal texts after folding width, case and white space', () => {
  const questions = ['What is tea?', ' what  IS\ntea? ', 'Ｗhat is tea？', 'What is tea'];
  expect(
    select(
      { unique: EXACT },
      questions.map((question) => ({ question })),
    ),
  ).toEqual(['ok', 'duplicate of row 0 (1.00)', 'duplicate of row 0 (1.00)', 'ok']);
});

test('a missing or null text is never a duplicate; other values are compared by their JSON text', () => {
  const rows: Row[] = [
    { question: null },
    { question: null },
    {},
    { question: [1, 'a'] },
    { question: '[1,"a"]' },
    { question: '' },
    { question: ' ' },
  ];
  expect(select({ unique: EXACT }, rows)).toEqual([
    'ok',
    'ok',
    'ok',
    'ok',
    'duplicate of row 3 (1.00)',
    'ok',
    'duplicate of row 5 (1.00)',
  ]);
});

test('a rule over several columns compares them one by one', () => {
  const unique = [{ kind: 'exact', columns: ['a', 'b'] }] as const;
  const rows = [
    { a: 'x y', b: 'z' },
    { a: 'x', b: 'y z' },
    { a: 'X  Y', b: 'Z' },
    { a: 'x y', b: null },
  ];
  expect(select({ unique }, rows)).toEqual(['ok', 'ok', 'duplicate of row 0 (1.00)', 'ok']);
});

test('compares with accepted rows only', () => {
  const rules = { unique: [], uniqueAgainst: [], balance: { column: 'topic', maxShare: 0.5 } };
  const unique = [{ kind: 'exact', columns: ['text'] }] as const;
  const rows = [
    { topic: 'a', text: 'one' },
    { topic: 'a', text: 'two' },
    { topic: 'b', text: 'two' },
    { topic: 'b', text: 'three' },
    { topic: 'b', text: 'two' },
  ];
  // The last one is over the share of its topic too.
  expect(select({ ...rules, unique }, rows)).toEqual(['ok', "balance 'a'", 'ok', 'ok', 'duplicate of row 2 (1.00)']);
});

test('a value has its share of the accepted rows at each row, rounded up', () => {
  const rules = { balance: { column: 'topic', maxShare: 0.3 } };
  const topics = ['a', 'a', 'b', 'c', 'a', 'd', 'a', 'a'];
  expect(
    select(
      rules,
      topics.map((topic) => ({ topic })),
    ),
  ).toEqual(['ok', "balance 'a'", 'ok', 'ok', 'ok', 'ok', "balance 'a'", "balance 'a'"]);
});

test('rows of other datasets come first, and the reason names their folder', () => {
  const rules = { unique: EXACT, uniqueAgainst: ['old', 'older'] };
  using selector = new Selector(rules);
  const sign = createRowSigner(rules);
  const features = (question: string) => {
    const candidate = sign({ question });
    if (candidate.kind !== 'features') throw new Error('the row has features');
    return candidate;
  };
  selector.addOther('old', 7, features('tea'));
  selector.addOther('older', 0, features('milk'));
  expect(selector.decide(0, features('Milk'))).toEqual({
    accepted: false,
    reason: { kind: 'duplicate', of: 0, folder: 'older', similarity: 1, rule: 0 },
  });
  expect(selector.decide(1, features('salt'))).toEqual({ accepted: true });
  const verdict = selector.decide(2, features('TEA'));
  expect(verdict.accepted ? '' : printReason(verdict.reason)).toBe('duplicate of row 7 of old (1.00)');
  expect(selector.decide(3, { kind: 'where' })).toEqual({ accepted: false, reason: { kind: 'where' } });
  expect(selector.accepted).toBe(1);
});
