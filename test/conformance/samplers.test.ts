import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Row } from '@data-designer/core';
import { mistakesInPeople } from './people-mistakes.ts';
import { conformance } from './read-rows.ts';
import { type Drawn, type PeopleRow, readSamplerCases, type SamplerCase } from './sampler-row.ts';
import { mistakesInValues } from './value-mistakes.ts';
// From source, as are the documents it is given: the published package knows its own class of floats only.
import { DataDesigner } from '../../packages/data-designer/src/index.ts';

/** What a run says where the tool of the facts says this. */
const REFUSALS: Readonly<Record<string, RegExp>> = {
  'fewer people than requested': /0 rows of the collection 'en_US' match the filters, but 5 different rows are needed/,
  'unknown filter field': /there is no person field 'shoe_size'/,
};

let designer: DataDesigner;

beforeAll(() => {
  process.env.DATA_DESIGNER_MANAGED_ASSETS_PATH = join(conformance, 'assets');
  designer = new DataDesigner({ runConfig: { seed: 6 } });
});

afterAll(async () => {
  delete process.env.DATA_DESIGNER_MANAGED_ASSETS_PATH;
  await designer[Symbol.asyncDispose]();
});

async function draw({ id, document, facts }: SamplerCase): Promise<Drawn> {
  const results = await designer.preview({ document, source: id }, { numRecords: facts.n_test ?? facts.n });
  const records = (await Array.fromAsync(results.records())) as Row[];
  const field = results.toArrow().schema.fields.find(({ name }) => name === facts.target);
  return { records, values: records.map((row) => row[facts.target] ?? null), type: String(field?.type) };
}

const cases = readSamplerCases();

test('there are as many rows as were copied', () => {
  expect(cases.length).toBe(67);
});

test.each(cases.filter(({ facts }) => facts.error === undefined))('$id: $what', { tags: 'long' }, async (one) => {
  const drawn = await draw(one);
  expect(drawn.records.length).toBe(one.facts.n_test ?? one.facts.n);
  const { facts } = one;
  const isOfPeople = facts.value_type === 'object';
  const mistakes = isOfPeople
    ? mistakesInPeople(facts as PeopleRow, drawn.values as unknown as readonly Row[])
    : mistakesInValues(facts, drawn);
  expect(mistakes).toEqual([]);
});

test.each(cases.filter(({ facts }) => facts.error !== undefined))('$id: $what is refused', async (one) => {
  const refusal: unknown = await draw(one).catch((thrown: unknown) => thrown);
  expect(refusal).toMatchObject({ message: expect.stringMatching(REFUSALS[one.facts.error ?? ''] ?? /^$/) as string });
});

function find(id: string): SamplerCase {
  return cases.find((one) => one.id === id) as SamplerCase;
}

test('what was observed of one distribution does not hold for another', { tags: 'long' }, async () => {
  const [even, rare] = [find('sp-bernoulli-0.5'), find('sp-bernoulli-0.03')];
  expect(mistakesInValues(rare.facts, await draw(even))).toHaveLength(2);
  const [wide, narrow] = [find('sp-scipy-norm'), find('sp-gaussian-std')];
  expect(mistakesInValues(narrow.facts, await draw(wide)).length).toBeGreaterThan(10);
});
