import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan, Review, Row } from '@data-designer/core';
import { ReviewLog, rowHash } from '@data-designer/dataset/reviews';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mappingProblem } from './mapped.ts';
import { findPairs } from './pairs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pairs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const CHAT = { field: 'draft__trace', tools: [], hasCorrections: true };
const attempts = [{ name: 'drafts', columns: ['draft'], keep: 'pair' }];

function source(more: object = {}) {
  const plan = { columns: [{ name: 'draft', chats: [CHAT] }], fields: [], tables: [], tools: {}, ...more };
  return { folder, plan: plan as unknown as Plan, tools: {}, tables: [], version: '0' };
}

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const calling = (name: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: '{}' } }],
});
const result = (content: string) => ({ role: 'tool', content, tool_call_id: 'c' });

async function pairOf(chosen: readonly object[], rejected: readonly object[], corrections = false) {
  const find = await findPairs(source({ attempts }), { corrections });
  const sides = { drafts__chosen: { draft__trace: chosen }, drafts__rejected: { draft__trace: rejected } };
  return find(sides as unknown as Row, 0)[0];
}

test('both sides of a pair begin with an answer, also where the sides differ in a result', async () => {
  const [chosen, rejected] = ['a', 'b'].map((text) => [user('q'), calling('look'), result(text), assistant(text)]);
  expect(await pairOf(chosen!, rejected!)).toMatchObject({
    prompt: [user('q')],
    chosen: chosen!.slice(1),
    rejected: rejected!.slice(1),
  });
  // A side that goes on with a result has its call.
  const cut = await pairOf([user('q'), assistant('a')], [user('q'), calling('look'), result('b'), assistant('b')]);
  expect(cut).toMatchObject({ prompt: [user('q')], chosen: [assistant('a')] });
});

test('corrections are no part of a pair unless they are asked for', async () => {
  const corrected = [user('q'), assistant('wrong'), user('correct it'), assistant('right')];
  const other = [user('q'), assistant('other')];
  expect(await pairOf(corrected, other)).toMatchObject({ chosen: [assistant('right')] });
  expect(await pairOf(corrected, other, true)).toMatchObject({ chosen: corrected.slice(1) });
});

test('equal sides, and sides without an answer or a common beginning, are no pair', async () => {
  const talk = [user('q'), assistant('a')];
  expect(await pairOf(talk, talk)).toEqual({ missing: 'two equal answers' });
  expect(await pairOf(talk, [user('q')])).toEqual({ missing: 'no answer at the end' });
  expect(await pairOf(talk, [user('other'), assistant('b')])).toEqual({ missing: 'no message that both begin with' });
});

test('edits make pairs, but not those of rejected or changed rows', async () => {
  const row = { draft: 'a', draft__trace: [user('q'), assistant('a')] } as unknown as Row;
  const review = {
    rating: null,
    comment: null,
    edits: { draft: 'better' },
    author: null,
    time: '2026-01-01T00:00:00Z',
  };
  const given = (at: number, more: Partial<Review>): Review => ({
    ...review,
    row: at,
    hash: rowHash(row),
    verdict: 'edit',
    ...more,
  });
  await new ReviewLog(folder).add(given(0, {}), given(1, { verdict: 'reject' }), given(2, { hash: 'of another row' }));
  const find = await findPairs(source(), {});
  expect([0, 1, 2, 3].map((at) => find(row, at))).toEqual([
    [{ prompt: [user('q')], chosen: [assistant('better')], rejected: [assistant('a')], tools: [] }],
    [],
    [],
    [],
  ]);
});

test('a mapping names one form of the parts', () => {
  expect(mappingProblem('chat', { messages: 'a', prompt: 'b', completion: 'c' })).toContain('name one of these');
  expect(mappingProblem('chat', { messages: 'a', system: 'b' })).toBeUndefined();
  expect(mappingProblem('pair', { prompt: 'a', chosen: 'b' })).toContain('must name prompt, chosen, rejected');
});
