import { expect, test } from 'vitest';
import type { Api } from '../../../api/requests.ts';
import type { DataSource } from '../../data/data-source.ts';
import { RowCache } from './row-cache.ts';

type RowsRequest = Api['rows']['request'];

/** A source of 10,000 rows that answers when it is told to. */
class HeldRows {
  readonly requests: { readonly from: number; readonly count: number; readonly signal: AbortSignal | undefined }[] = [];
  readonly #answers: (() => void)[] = [];

  readonly source = {
    ask: (_name: string, { from, count, columns = [] }: RowsRequest, signal?: AbortSignal) => {
      this.requests.push({ from, count, signal });
      const rows = Array.from({ length: count }, (_, at) => ({
        index: from + at,
        cells: columns.map(() => from + at),
      }));
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
      this.#answers.push(() => resolve({ version: '1', total: 10_000, from, columns, rows }));
      return promise;
    },
  } as unknown as DataSource;

  /** Answers all requests. */
  async answer(): Promise<void> {
    for (const answer of this.#answers.splice(0)) answer();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function cacheOf({ source }: HeldRows): RowCache {
  return new RowCache({ source, dataset: 'd', filter: {}, previous: undefined });
}

test('pages side by side are one request, and loaded ones are not requested again', async () => {
  const held = new HeldRows();
  const cache = cacheOf(held);
  cache.want({ from: 390, to: 420 }, [['a']]);
  expect(held.requests).toMatchObject([{ from: 300, count: 200 }]);
  await held.answer();
  expect([cache.rowAt(399)?.cells.get('a'), cache.rowAt(400)?.index, cache.rowAt(500)]).toEqual([399, 400, undefined]);
  cache.want({ from: 250, to: 520 }, [['a']]);
  expect(held.requests.slice(1)).toMatchObject([
    { from: 200, count: 100 },
    { from: 500, count: 100 },
  ]);
  await held.answer();
  cache.want({ from: 0, to: 900 }, [['a']]);
  expect(held.requests.slice(3)).toMatchObject([
    { from: 0, count: 200 },
    { from: 600, count: 400 },
  ]);
});

test('a request out of view is dropped, and its rows are requested again when they are back', async () => {
  const held = new HeldRows();
  const cache = cacheOf(held);
  cache.want({ from: 0, to: 30 }, [['a']]);
  cache.want({ from: 5000, to: 5030 }, [['a']]);
  expect(held.requests[0]?.signal?.aborted).toBe(true);
  cache.want({ from: 0, to: 30 }, [['a']]);
  await held.answer();
  expect(held.requests.map(({ from }) => from)).toEqual([0, 5000, 0]);
  expect(cache.rowAt(3)?.index).toBe(3);
  expect(cache.rowAt(5000)).toBeUndefined();
  expect(cache.isLoading).toBe(false);
});

test('pages that are forgotten are requested again for all columns', async () => {
  const held = new HeldRows();
  const cache = cacheOf(held);
  for (const columns of [['a'], ['b']]) {
    cache.want({ from: 0, to: 30 }, [columns]);
    await held.answer();
  }
  expect([...(cache.rowAt(7)?.cells.keys() ?? [])]).toEqual(['a', 'b']);
  for (let page = 1; page < 205; page++) {
    cache.want({ from: page * 100, to: page * 100 + 30 }, [['a']]);
    await held.answer();
  }
  expect(cache.rowAt(7)).toBeUndefined();
  const { length } = held.requests;
  cache.want({ from: 0, to: 30 }, [['a'], ['b']]);
  await held.answer();
  expect(held.requests.length - length).toBe(2);
  expect([...(cache.rowAt(7)?.cells.keys() ?? [])]).toEqual(['a', 'b']);
});
