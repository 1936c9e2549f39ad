import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, NEVER, RECORDED_MESSAGE, toolFailurePrefix } from '@data-designer/core';
import { datasetPaths, FailureLog } from '@data-designer/dataset';
import { serveFolder } from '../../../../bench/test/file-server.ts';
import { openCopy, serveAndCopy, type ServedAndCopied } from '../../../test/served-and-copied.ts';
import type { Api } from '../../api/requests.ts';
import type { Filter } from '../../api/filter.ts';
import { copyFiles } from '../../copy-data.ts';
import { downloadedRows } from './copy-downloads.ts';
import { RangedFile } from './ranged-file.ts';

/** The reviews of rows. */
const REVIEWS = {
  3: { verdict: 'accept' },
  5: { verdict: 'accept', edits: { text: 'five' } },
  7: { verdict: null, edits: { text: 'seven' } },
  9: { verdict: 'reject', edits: { text: 'nine' } },
} as const;

const FIELDS = [
  field('n', 'int64'),
  field('big', 'int64', { nullable: true }),
  field('share', 'float64', { nullable: true }),
  field('isOdd', 'bool'),
  field('key', 'utf8'),
  field('text', 'utf8'),
  field('prose', 'utf8', { nullable: true }),
  field('any', 'utf8', { json: true }),
  field('on', { logical: 'date' }),
  field('seen', 'utf8', { nullable: true }),
  field('day', 'utf8'),
  field('day__trace', { list: RECORDED_MESSAGE }),
  field('at', { logical: 'timestamp', unit: 'us', zoned: false }),
  field('hour', { logical: 'time', unit: 'us' }),
  field('price', { logical: 'decimal', precision: 9, scale: 2 }),
  field('tags', { list: 'utf8' }),
  field('score', { struct: [field('clarity', { struct: [field('score', 'int64')] })] }),
];
/** More than two row groups of a copy. */
const ROWS = 11_000;
/** More failed cells than a copy has. */
const FAILED = 1100;
const TAGS = ['kelp', 'dulse', 'laver'];

function rowAt(n: number) {
  return {
    n,
    big: n % 5 === 0 ? null : 2n ** 60n + BigInt(n % 3),
    share: n % 11 === 0 ? null : (n * 7919) % 1000,
    isOdd: n % 2 === 1,
    // It makes the file too large to be read at once.
    key: createHash('sha256').update(String(n)).digest('base64'),
    text: n % 7 === 0 ? 'Bees' : `row ${n % 40}`,
    prose: n % 3 === 0 ? null : 'salt '.repeat(1 + (n % 90)),
    any: n % 2 === 0 ? { part: n % 4 } : `text ${n % 9}`,
    on: `2026-01-${String(1 + (n % 28)).padStart(2, '0')}`,
    seen: seenAt(n),
    day: `${n % 2 === 0 ? 'Mon' : 'Fri'} ${1 + (n % 28)}/${['Jan', 'Feb', 'Dec'][n % 3]}/26 ${1 + (n % 12)}.05 ${n % 5 < 2 ? 'AM' : 'PM'}`,
    day__trace: talk(n),
    at: `2026-03-29T${String(n % 24).padStart(2, '0')}:30:00`,
    hour: `${String(n % 24).padStart(2, '0')}:15:00.000${n % 10}5`,
    price: (n % 500) / 4,
    tags: TAGS.slice(0, n % 4),
    score: { clarity: { score: n % 3 } },
  };
}

/** Times in all spellings of ISO 8601, and texts that are none. */
function seenAt(n: number): string | null {
  const day = `2026-02-${String(1 + (n % 28)).padStart(2, '0')}`;
  const spellings = [
    day,
    `${day}T23:30:00`,
    `${day} 23:30:00.250`,
    `${day}T23:30:00Z`,
    `${day}T23:30:00-05:00`,
    'soon',
    null,
  ];
  return spellings[Math.floor(n / 28) % spellings.length] ?? null;
}

/** A conversation that calls a tool in every third row; every sixth of them fails, and the others quote a failure. */
function talk(n: number) {
  const none = { reasoning_content: null, tool_calls: null, tool_call_id: null, content_parts: null };
  const said = { ...none, role: 'assistant', content: `${toolFailurePrefix('find')}or so it says` };
  if (n % 3 > 0) return [said];
  const call = { id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } };
  const content = n % 6 === 0 ? `${toolFailurePrefix('find')}it has no rows` : 'found';
  return [
    { ...said, content: null, tool_calls: [call] },
    { ...none, role: 'tool', content, tool_call_id: 'c1' },
  ];
}

let both: ServedAndCopied;

beforeAll(async () => {
  both = await serveAndCopy({
    fields: FIELDS,
    rows: Array.from({ length: ROWS }, (_, n) => rowAt(n)),
    configs: { day: { columnType: 'sampler', samplerType: 'datetime', convertTo: '%a %d/%b/%y %I.%M %p' } },
    async prepare(folder, ask) {
      const failure = {
        column: 'prose',
        code: 'model/rate-limited',
        message: 'busy',
        onFailure: 'null',
        messages: [],
      } as const;
      const failed = Array.from({ length: FAILED }, (_, row) => ({ ...failure, row: row * 3 }));
      await new FailureLog(datasetPaths(folder).failures).add(0, failed);
      for (const [at, review] of Object.entries(REVIEWS)) {
        const row = Number(at);
        const { hash } = await ask('row-hash', { index: row });
        await ask('review', { review: { row, hash, rating: null, comment: null, edits: null, ...review } });
      }
    },
  });
});

afterAll(() => both[Symbol.asyncDispose]());

function served<Name extends keyof Api>(name: Name, request: object): Promise<Api[Name]['answer']> {
  return both.served(name, request);
}

function copied<Name extends keyof Api>(name: Name, request: object): Promise<Api[Name]['answer']> {
  return both.copied(name, request);
}

const FILTERS: readonly Filter[] = [
  {},
  { where: [{ column: 'share', op: 'more', value: 990 }] },
  { where: [{ column: 'share', op: 'between', low: 10, high: 20, isLast: true }] },
  { where: [{ column: 'text', op: 'equals', value: 'Bees' }], search: 'kelp' },
  { where: [{ column: 'isOdd', op: 'equals', value: false }], sort: [{ column: 'share', descending: true }] },
  { where: [{ column: 'prose', op: 'length', low: 400, high: 450 }] },
  { where: [{ column: 'prose', op: 'null' }], sort: [{ column: 'text', descending: false }] },
  { where: [{ column: 'on', op: 'at-least', value: '2026-01-27' }] },
  { where: [{ column: 'at', op: 'between', low: '2026-03-29 02:30:00.000', high: '2026-03-29 05:00:00.000' }] },
  { where: [{ column: 'hour', op: 'between', low: '05:00:00.000', high: '23:15:00.001', isLast: true }] },
  { where: [{ column: 'on', op: 'dates', low: '2026-01-05', high: '2026-01-12' }] },
  { where: [{ column: 'at', op: 'dates', low: '2026-03-29T22:00:00', high: null }] },
  { where: [{ column: 'seen', op: 'dates', low: '2026-02-03', high: '2026-02-04' }] },
  { where: [{ column: 'seen', op: 'dates', low: '2026-02-20T23:30:00', high: null }] },
  { where: [{ column: 'day', op: 'dates', low: '2026-02-02', high: '2026-02-16T06:05:00' }] },
  { where: [{ column: 'price', op: 'less', value: 0.75 }] },
  { where: [{ column: 'score', path: ['clarity', 'score'], op: 'one-of', values: [0, 2] }] },
  { where: [{ column: 'any', op: 'contains', text: 'PART' }] },
  { where: [{ column: 'text', op: 'matches', text: '^row 3\\d$' }] },
  { where: [{ column: 'text', op: 'not', value: 'Bees' }], search: '1152921504606846977' },
  { search: 'no such text' },
  {
    sort: [
      { column: 'text', descending: true },
      { column: 'share', descending: false },
    ],
  },
  { tool: 'find' },
  { failedTool: 'find' },
  { tool: 'other' },
  { review: 'none' },
  { review: 'reviewed' },
  { review: 'accept' },
  { review: 'edit' },
  { review: 'edit-only' },
  { review: 'reject' },
];

/** Whose statistics are compared: how rows are chosen makes no difference to how they are counted. */
const COUNTED = new Set(FILTERS.slice(0, 6));

describe.each(FILTERS.map((filter) => [JSON.stringify(filter), filter] as const))('the filter %s', (_, filter) => {
  test('selects the rows that the server selects, with the same cells', { tags: 'long' }, async () => {
    for (const from of [0, 4950]) {
      const request = { filter, from, count: 120 };
      const { version: _version, ...page } = await served('rows', request);
      expect(await copied('rows', request)).toMatchObject(page);
    }
  });

  test('has the statistics that the server counts', { tags: COUNTED.has(filter) ? [] : 'long' }, async () => {
    const columns = ['n', 'share', 'isOdd', 'text', 'prose', 'on', 'at', 'hour', 'price', 'tags'];
    const [{ stats: ours }, { stats: theirs }] = await Promise.all([
      copied('stats', { filter, columns }),
      served('stats', { filter, columns }),
    ]);
    const shape = ({ column, rows, nulls, kind, bars, others }: (typeof ours)[number]) => {
      // Values of one count have no order.
      const counts = bars.map(({ count }) => count);
      return {
        column,
        rows,
        nulls,
        kind,
        others,
        counts: kind === 'values' ? counts.toSorted((a, b) => b - a) : counts,
      };
    };
    expect(ours.map(shape)).toEqual(theirs.map(shape));
  });
});

test('texts are filtered by the times that they name', async () => {
  const [low, high] = ['2026-02-03', '2026-02-04'];
  const onThatDay = Array.from({ length: ROWS }, (_, n) => seenAt(n) ?? '').filter((text) => {
    return text.includes('-05:00') ? text.startsWith('2026-02-02') : text.startsWith(low);
  });
  const { total } = await copied('rows', {
    filter: { where: [{ column: 'seen', op: 'dates', low, high }] },
    from: 0,
    count: 1,
  });
  expect(total).toBe(onThatDay.length);
  const february: Filter = { where: [{ column: 'day', op: 'dates', low: '2026-02-01', high: '2026-03-01' }] };
  const { total: inFebruary } = await copied('rows', { filter: february, from: 0, count: 1 });
  expect(inFebruary).toBe(Array.from({ length: ROWS }, (_, n) => n).filter((n) => n % 3 === 1).length);
});

test('rows are filtered by the calls of a tool, and by the failed ones', { tags: 'long' }, async () => {
  const counts = await Promise.all(
    [{ tool: 'find' }, { failedTool: 'find' }].map((filter) => copied('rows', { filter, from: 0, count: 1 })),
  );
  expect(counts.map(({ total }) => total)).toEqual([Math.ceil(ROWS / 3), Math.ceil(ROWS / 6)]);
});

test('a download has the accepted rows with their edits and reviews, as the server sends them', async () => {
  const rows = await downloadedRows(both.copy, {
    format: 'jsonl',
    filter: { review: 'accept' },
    edits: true,
    reviews: true,
    signal: NEVER,
  });
  const lines = (await rows.text()).trimEnd().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { n: 3, _review_row: 3, _review_verdict: 'accept', _review_edited: false, _review_edits: null },
    {
      n: 5,
      text: 'five',
      _review_row: 5,
      _review_verdict: 'accept',
      _review_edited: true,
      _review_edits: { text: 'five' },
    },
  ]);
});

test('a record and its text are those of the server', async () => {
  const filter: Filter = { where: [{ column: 'text', op: 'equals', value: 'Bees' }] };
  const [ours, theirs] = await Promise.all([
    copied('record', { index: 7007, filter }),
    served('record', { index: 7007, filter }),
  ]);
  const { fields, position, total, previous, next } = theirs;
  expect(ours).toMatchObject({ fields, position, total, previous, next });
  const text = { index: 7007, column: 'any', from: 2, count: 10 };
  expect(await copied('text', text)).toEqual(await served('text', text));
});

test('a page reads its rows and not the others', async () => {
  const before = both.site.sentBytes();
  const own = await openCopy(both.site);
  const opening = both.site.sentBytes() - before;
  await own.answer('rows', { dataset: 'facts', from: 6000, count: 100, columns: ['n', 'text'] }, NEVER);
  const read = both.site.sentBytes() - before - opening;
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(own.rows.bytesOf(['n', 'text']));
});

test('a server without ranges sends the file once, and a large file not at all', { tags: 'long' }, async () => {
  await using plain = await serveFolder(both.folder, { hasRanges: false });
  const own = await openCopy(plain);
  const { total } = await own.answer(
    'rows',
    { dataset: 'facts', from: 0, count: 10, filter: { search: 'bees' } },
    NEVER,
  );
  expect(total).toBe(Math.ceil(ROWS / 7));
  const { data, rows } = copyFiles(0);
  const sizes = await Promise.all([data, rows].map(async (name) => (await stat(join(both.folder, name))).size));
  expect(sizes[1]).toBeGreaterThan(512_000);
  expect(plain.sentBytes()).toBe(sizes.reduce((sum, size) => sum + size, 0));
  const large = new RangedFile(`${plain.address}${copyFiles(0).rows}`, 800_000_000);
  await expect(large.slice(0, 8)).rejects.toThrow('sends whole files only, and the rows have 800 MB');
});

test('a filter that nobody waits for reads no further', { tags: 'long' }, async () => {
  const own = await openCopy(both.site);
  const stop = new AbortController();
  const request = { dataset: 'facts', from: 0, count: 10, filter: { search: 'laver' } };
  const first = own.answer('rows', request, stop.signal);
  stop.abort(new Error('the page has another filter'));
  await expect(first).rejects.toThrow('the page has another filter');
  expect(await own.answer('rows', request, NEVER)).toMatchObject({ total: Math.floor(ROWS / 4) });
});

test('a copy has the first failed cells, and says how many it lacks', async () => {
  const page = { column: 'prose', from: 980, count: 100 };
  const [ours, theirs] = await Promise.all([copied('failed-cells', page), served('failed-cells', page)]);
  expect([ours.total, theirs.total]).toEqual([1000, FAILED]);
  expect(ours.cells).toEqual(theirs.cells.slice(0, 20));
  expect(ours.note).toBe(`This copy has the first 1000 of ${FAILED} failed cells.`);
});
