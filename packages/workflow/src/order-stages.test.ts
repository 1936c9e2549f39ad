import { expect, test } from 'vitest';
import { orderStages } from './order-stages.ts';
import type { DeclaredStage } from './stage.ts';

const stage = (name: string, options: object = {}): DeclaredStage => ({ name, config: {} as never, options });
const namesOf = (...stages: readonly DeclaredStage[]) => orderStages('w', stages).map(({ folder }) => folder);

test('a stage reads the one before, unless it names others or none', () => {
  const ordered = orderStages('w', [stage('a'), stage('b'), stage('c', { from: [] }), stage('d', { from: 'a' })]);
  expect(ordered.map(({ dependsOn }) => dependsOn)).toEqual([[], ['a'], [], ['a']]);
  expect(ordered.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
});

test('each stage follows those that it reads; the others keep their order', () => {
  const last = stage('last', { from: ['one', 'two'], join: 'position' });
  expect(namesOf(last, stage('one', { from: [] }), stage('two'))).toEqual([
    'stage-0-one',
    'stage-1-two',
    'stage-2-last',
  ]);
});

test.each<readonly [string, readonly DeclaredStage[], string]>([
  ['a name twice', [stage('a'), stage('a')], 'another stage has this name'],
  ['an unknown stage', [stage('abc'), stage('b', { from: 'abd' })], "from names no stage 'abd'. Did you mean 'abc'"],
  ['a stage twice', [stage('a'), stage('b', { from: ['a', 'a'], join: 'position' })], "from names the stage 'a' twice"],
  ['itself', [stage('a', { from: 'a' })], "the stages 'a' → 'a' depend on each other"],
  [
    'a circle behind another stage',
    [stage('x', { from: 'a' }), stage('a', { from: 'b' }), stage('b', { from: 'a' })],
    "the stages 'a' → 'b' → 'a' depend on each other",
  ],
  ['several stages without join', [stage('a'), stage('b'), stage('c', { from: ['a', 'b'] })], 'needs join'],
  ['a reshaped input that is none', [stage('a', { expand: 'list' })], 'it has expand and no input'],
  ['two shapes', [stage('a'), stage('b', { expand: 'l', group: { by: 'k' } })], 'it has both'],
  ['a format without map', [stage('a', { outputFormat: {} })], 'outputFormat needs map'],
  ['an empty output without map', [stage('a', { allowEmpty: true })], 'allowEmpty needs map'],
])('%s is refused', (_, stages, reason) => {
  expect(() => orderStages('w', stages)).toThrow(reason);
});

test('map may have a format, and one stage may be reshaped', () => {
  const mapped = stage('b', { map: () => [], outputFormat: {}, allowEmpty: true, expand: 'list' });
  expect(namesOf(stage('a'), mapped)).toEqual(['stage-0-a', 'stage-1-b']);
});
