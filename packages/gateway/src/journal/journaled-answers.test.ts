import { expect, test } from 'vitest';
import type { JournalRecord } from '../../../dataset/src/journal/journal-file.ts';
import { JournaledAnswers, requestOf } from './journaled-answers.ts';

function entry(row: number, call: number, { request = `r${row}.${call}`, column = 'a' } = {}): JournalRecord {
  const asked = { resource: 'model/here/small', path: 'chat/completions' } as const;
  return { row, column, call, request, status: 200, headers: {}, body: '', ...asked };
}

test('a changed request voids its entry and the later ones of its cell, each once, and nothing else', () => {
  const kept = new JournaledAnswers([
    entry(0, 0),
    entry(0, 1),
    entry(0, 3),
    entry(1, 1),
    entry(0, 1, { column: 'b', request: 'other' }),
  ]);
  expect(kept.answer(entry(0, 0), 'r0.0')).toEqual(entry(0, 0));
  expect(kept.answer(entry(0, 1), 'changed')).toBeUndefined();
  expect(kept.answer(entry(0, 1), 'changed')).toBeUndefined();
  expect(kept.has(entry(0, 3))).toBe(false);
  expect(kept.voided).toEqual([entry(0, 1), entry(0, 3)]);
  expect(kept.answer(entry(1, 1), 'r1.1')).toEqual(entry(1, 1));
  expect(kept.has(entry(0, 1, { column: 'b' }))).toBe(true);
});

test('an answer that was requested again replaces the old one and removes the later entries of its cell', () => {
  const kept = new JournaledAnswers([entry(0, 0), entry(0, 1), entry(0, 0, { request: 'again' })]);
  expect(kept.answer(entry(0, 0), 'again')).toMatchObject({ request: 'again' });
  expect(kept.has(entry(0, 1))).toBe(false);
  expect(kept.voided).toEqual([]);
});

test('the request hash covers resource, path and body, and equals that of earlier versions', () => {
  const call = { resource: 'model/here/small', path: 'chat/completions', body: '{"model":"small"}' } as const;
  const known = '06a3375c2dd4a90a500393cd50f2585e7829abe6273ce83d046e124e071cd133';
  expect(requestOf(call)).toBe(known);
  expect(requestOf({ ...call, resource: 'model/there/small' })).not.toBe(known);
  expect(requestOf({ ...call, path: 'embeddings' })).not.toBe(known);
  expect(requestOf({ ...call, body: '{"model":"large"}' })).not.toBe(known);
});
