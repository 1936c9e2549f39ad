import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { configCorpus } from './config-corpus.ts';
import type { FuzzCase } from './fuzz-target.ts';
import { mutateConfig } from './mutate-config.ts';
import { byteMutations } from './mutations/byte-mutations.ts';
import { valueMutations } from './mutations/value-mutations.ts';
import { yamlMutations } from './mutations/yaml-mutations.ts';

const corpus = configCorpus();

function cases(seed: number, count: number): FuzzCase[] {
  const random = Random.of(seed, 'config');
  return Array.from({ length: count }, (_, number) => mutateConfig(corpus, random.at(number)));
}

test('the corpus holds the configs of this repository, nearly all of them parsed', () => {
  const paths = corpus.files.map(({ path }) => path);
  expect(paths).toContain('configs/quickstart.yaml');
  expect(paths).not.toContain('configs/schema.json');
  expect(paths.length).toBeGreaterThan(100);
  expect(corpus.files.filter(({ tree }) => tree === undefined).length).toBeLessThan(10);
  expect(corpus.sound.length).toBeGreaterThan(50);
  expect(corpus.sound.length).toBeLessThan(paths.length);
});

test('the same seed and number make the same case, others make different cases', () => {
  expect(cases(1, 50)).toEqual(cases(1, 50));
  expect(cases(1, 50)).not.toEqual(cases(2, 50));
  const random = Random.of(1, 'config');
  expect(mutateConfig(corpus, random.at(49))).toEqual(cases(1, 50).at(-1));
});

test('every mutation has a unique name and is used, and the length of cases is bounded', { tags: 'long' }, () => {
  const names = [byteMutations, yamlMutations, valueMutations].flat().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const made = cases(3, 3000);
  const used = new Set(made.flatMap(({ story }) => story));
  expect(names.filter((name) => !used.has(name))).toEqual([]);
  expect(Math.max(...made.map(({ text }) => text.length))).toBeLessThanOrEqual(200_000);
});

test('no case changes Object.prototype', () => {
  expect(cases(4, 500).length).toBe(500);
  expect(Object.keys(Object.prototype)).toEqual([]);
});
