import { join as joinPath } from 'node:path';
import { expect, test } from 'vitest';
import { checkOptions } from '@data-designer/config';
import { field } from '@data-designer/core';
import { datasetPaths, exportRows, makeFolder } from '@data-designer/dataset';
import { addReview, ReviewLog } from '@data-designer/dataset/reviews';
import { testFolder } from '@data-designer/testing/test-folder';
import type { DefinedInput, GivenInput, InputFinding, Several, StageRow } from './input-kind.ts';
import { planInput, type ReadRows, shapeOf } from './make-input.ts';
import { inputRules, inputsIn, STAGE_INPUTS } from './stage-inputs.ts';

const root = testFolder('inputs');

const FIELDS = [field('id', 'int64'), field('text', 'utf8'), field('tags', { list: 'utf8' })];

/** The output of a stage with these rows; `reads` counts how often they are read. */
function outputOf(stage: string, rows: readonly StageRow[], fields = FIELDS): ReadRows & { reads: number } {
  const output = {
    stage,
    fields,
    origins: new Map(fields.map(({ name }) => [name, stage])),
    rows: rows.length,
    content: `content of ${stage}`,
    reads: 0,
    records: async function* () {
      output.reads++;
      yield* rows;
    },
  };
  return output;
}

const rowsOf = (...texts: string[]): StageRow[] => texts.map((text, id) => ({ id, text, tags: [text, `${text}2`] }));
const fail = (reason: string) => new Error(reason);
const plan = (options: object, ...outputs: [ReadRows, ...ReadRows[]]) =>
  planInput(inputsIn(options), outputs, { stage: 'next', fail });
const made = async (options: object, ...outputs: [ReadRows, ...ReadRows[]]) =>
  Array.fromAsync((await plan(options, ...outputs)).records());

/** A dataset folder with three rows, of which the first is accepted and the last is rejected. */
async function reviewedFolder(): Promise<string> {
  const folder = joinPath(root, 'reviewed');
  const { parquetFiles } = datasetPaths(folder);
  await makeFolder(parquetFiles);
  const records = (async function* () {
    yield* rowsOf('x', 'y', 'z');
  })();
  await exportRows({ fields: FIELDS, records }, joinPath(parquetFiles, 'batch_00000.parquet'), 'parquet');
  return folder;
}

/** An example of each kind: an option, and rows that it makes of those of one stage or two. */
interface Example {
  readonly value: unknown;
  readonly wrong: unknown;
  /** A column that the rows before must have; its absence is a mistake before any row is made. */
  readonly lacks?: string;
  readonly more?: readonly ReadRows[];
}

const OTHER = outputOf('other', [{ id: 0, title: 'A' }], [field('id', 'int64'), field('title', 'utf8')]);
const EXAMPLES: Readonly<Record<string, Example>> = {
  reviews: { value: 'accepted', wrong: 'all' },
  join: { value: { by: 'id' }, wrong: 5, more: [OTHER] },
  expand: { value: 'tags', wrong: 1, lacks: 'tags' },
  group: { value: { by: 'text', collect: ['id'] }, wrong: { by: 'text' }, lacks: 'text' },
};

const exampleOf = ({ name }: DefinedInput): Example => {
  const example = EXAMPLES[name];
  if (!example) throw new Error(`The input kind ${name} has no example.`);
  return example;
};
const bound = (kind: DefinedInput): GivenInput => {
  const given = kind.of({ [kind.name]: exampleOf(kind).value });
  if (!given) throw new Error(`The input kind ${kind.name} does not take its option.`);
  return given;
};
const inputsOf = (kind: DefinedInput): Several<ReadRows & { reads?: number }> => [
  outputOf('first', rowsOf('x', 'y')),
  ...(exampleOf(kind).more ?? []),
];

test.each(STAGE_INPUTS.map((kind) => [kind.name, kind] as const))(
  '%s keeps the contract of a kind',
  async (name, kind) => {
    const { value, wrong, lacks } = exampleOf(kind);
    expect(kind.schema.safeParse(value).success).toBe(true);
    expect(kind.schema.safeParse(wrong).success).toBe(false);
    expect(() => checkOptions({ [name]: value }, inputRules(), 'addStage()')).not.toThrow();
    expect(kind.of({})).toBeUndefined();
    const inputs = inputsOf(kind);
    const [first] = inputs;
    const given = bound(kind);
    const planned = await planInput([given], inputs, { stage: 'next', fail });
    // The columns are known, and no row is read before the first is asked for.
    expect(first.reads).toBe(0);
    const rows = await Array.fromAsync(planned.records());
    const columns = planned.fields.map((one) => one.name);
    for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(columns.toSorted());
    expect([...planned.origins.keys()].toSorted()).toEqual(columns.toSorted());
    expect(planned.steps.map((step) => [step.kind.name, step.rows()])).toEqual([[name, rows.length]]);
    // The content follows from the option and from all that it reads.
    const [again, otherOption, otherRows] = await Promise.all([
      planInput([given], inputs, { stage: 'next', fail }),
      planInput([{ ...given, value: 'another' }], inputs, { stage: 'next', fail }),
      planInput([given], [{ ...first, content: 'changed' }, ...inputs.slice(1)], { stage: 'next', fail }),
    ]);
    expect(again.content).toBe(planned.content);
    expect(new Set([planned.content, otherOption.content, otherRows.content]).size).toBe(3);
    expect(given.noRows('first')).toMatch(/\w/);
    if (lacks === undefined) return;
    const without = outputOf(
      'first',
      [],
      FIELDS.filter((one) => one.name !== lacks),
    );
    expect(shapeOf([given], [without], 'next')).toContain(`no column '${lacks}'`);
  },
);

test('a list is expanded into rows, and empty and missing lists make none', async () => {
  const rows: StageRow[] = [...rowsOf('x'), { id: 8, text: 'none', tags: [] }, { id: 9, text: 'null', tags: null }];
  expect(await made({ expand: 'tags' }, outputOf('a', rows))).toEqual([
    { id: 0, text: 'x', tags: 'x' },
    { id: 0, text: 'x', tags: 'x2' },
  ]);
  const { fields, origins } = await plan({ expand: 'tags' }, outputOf('a', rows));
  expect(fields[2]).toEqual(field('tags', 'utf8'));
  expect(origins.get('tags')).toBe('next');
  expect(shapeOf(inputsIn({ expand: 'text' }), [outputOf('a', [])], 'next')).toBe(
    "expand: the column 'text' is not a list",
  );
});

test('rows are grouped in the order of their first row, with lists of the collected columns', async () => {
  const output = outputOf('a', rowsOf('x', 'y', 'x'));
  const rows = await made({ group: { by: 'text', collect: ['id'] } }, output);
  expect(rows.map(({ text, id }) => [text, id])).toEqual([
    ['x', [0, 2]],
    ['y', [1]],
  ]);
  const wrong = (group: object) => shapeOf(inputsIn({ group }), [output], 'next');
  expect(wrong({ by: 'text', collect: ['text'] })).toContain("'text' is in both by and collect");
  expect(wrong({ by: [], collect: [] })).toBe('group: by names no column');
});

async function growthOf(...texts: string[]): Promise<number | undefined> {
  const [group] = inputsIn({ group: { by: 'text', collect: [] } });
  return (await group?.forecast(outputOf('a', rowsOf(...texts))))?.growth;
}

test('groups grow with rows by as much as the second half of the sample has new ones', async () => {
  expect(await growthOf('a', 'b', 'c', 'd')).toBe(1);
  expect(await growthOf('a', 'b', 'a', 'b')).toBe(0);
  expect(await growthOf('a', 'b', 'c', 'a')).toBeCloseTo(Math.log2(1.5));
});

test('a join reports the rows that it leaves out once all rows are read', async () => {
  const planned = await plan({ join: { by: 'id' } }, outputOf('a', rowsOf('x', 'y')), OTHER);
  const findings: readonly InputFinding[] = planned.findings;
  expect(findings).toEqual([]);
  expect((await Array.fromAsync(planned.records())).map(({ title }) => title)).toEqual(['A']);
  expect(findings).toEqual([
    {
      message: "1 of 2 rows of 'a' without partner left out",
      details: { unmatched: [{ stage: 'a', rows: 1, of: 2 }] },
    },
  ]);
});

test('joined rows are expanded, and a step tells how many rows it made', async () => {
  const planned = await plan({ join: { by: 'id' }, expand: 'tags' }, outputOf('a', rowsOf('x', 'y')), OTHER);
  const rows = await Array.fromAsync(planned.records());
  expect(rows.map(({ tags, title }) => [tags, title])).toEqual([
    ['x', 'A'],
    ['x2', 'A'],
  ]);
  expect(planned.steps.map((step) => [step.kind.name, step.before.rows, step.rows()])).toEqual([
    ['join', 2, 1],
    ['expand', 1, 2],
  ]);
});

test('reviews leave a rehearsed output as it is, and choose by verdict in a dataset', async () => {
  expect(await made({ reviews: 'accepted' }, outputOf('a', rowsOf('x', 'y')))).toHaveLength(2);
  const reviewed = { ...outputOf('a', rowsOf('x', 'y', 'z')), reviewed: await reviewedFolder() };
  expect(await made({ reviews: 'accepted' }, reviewed)).toEqual([]);
  expect(await made({ reviews: 'not_rejected' }, reviewed)).toHaveLength(3);
  const { content } = await plan({ reviews: 'accepted' }, reviewed);
  expect((await plan({ reviews: 'not_rejected' }, reviewed)).content).not.toBe(content);
});

test('the number of reviewed rows is known before they are read, and stale reviews are reported', async () => {
  const folder = await reviewedFolder();
  const log = new ReviewLog(folder);
  const review = (row: number, given: object) => addReview({ folder, fields: FIELDS, log }, { row, ...given });
  const reviewed = { ...outputOf('a', rowsOf('x', 'y', 'z')), reviewed: folder };
  await review(0, { edits: { text: 'edited' } });
  await review(1, { rating: 4 });
  await review(2, { verdict: 'reject' });
  const expected = { accepted: ['edited'], not_rejected: ['edited', 'y'] };
  const contents = new Set<string>();
  for (const [choice, texts] of Object.entries(expected)) {
    const given = await plan({ reviews: choice, expand: 'tags' }, reviewed);
    expect([given.steps[1]?.before.rows, given.findings]).toEqual([texts.length, []]);
    expect((await made({ reviews: choice }, reviewed)).map(({ text }) => text)).toEqual(texts);
    contents.add(given.content);
  }
  await review(1, { verdict: 'accept' });
  const more = await plan({ reviews: 'accepted', expand: 'tags' }, reviewed);
  expect([more.steps[1]?.before.rows, contents.has(more.content)]).toEqual([2, false]);
  const [own] = await Array.fromAsync((await log.read()).values());
  if (!own) throw new Error('The row 0 has a review.');
  await log.add({ ...own, hash: 'of an earlier row' });
  const stale = await plan({ reviews: 'accepted', expand: 'tags' }, reviewed);
  expect([stale.steps[1]?.before.rows, stale.findings]).toEqual([
    1,
    [
      {
        message: "1 review of 'a' had no effect, because the rows changed after the review",
        details: { stale: [{ stage: 'a', rows: [0] }] },
      },
    ],
  ]);
});
