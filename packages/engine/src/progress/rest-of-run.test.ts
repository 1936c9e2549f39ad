import { expect, test } from 'vitest';
import { msOfRest, type RestColumn, type RestLane, type RestOfRun } from './rest-of-run.ts';

const LANE: RestLane = { permits: 2, spacingMs: 0, pausedMs: 0 };

/** A column of calls of one second; a call in flight ends after the rest of it. */
function column(more: Partial<RestColumn> = {}): RestColumn {
  return {
    lane: 0,
    needs: [],
    done: 0,
    open: [],
    runningMs: [],
    atTools: 0,
    later: 0,
    goesOn: () => false,
    callMs: (ranMs = 0) => 1000 - ranMs,
    isToTool: () => false,
    toolMs: () => 0,
    ...more,
  };
}

function msOf(rest: Partial<RestOfRun>, mostRows = Infinity): number {
  return msOfRest({ rows: 6, openRows: 4, columns: [column()], lanes: [LANE], ...rest }, mostRows).ms;
}

test('permits bound what is made at a time', () => {
  expect(msOf({})).toBe(3000);
  expect(msOf({ lanes: [{ ...LANE, permits: 4 }] })).toBe(2000);
  expect(msOf({ columns: [column({ done: 4 })] })).toBe(1000);
  expect(msOf({ columns: [column({ done: 6 })] })).toBe(0);
});

test('calls in flight end after the rest of their time', () => {
  expect(msOf({ columns: [column({ done: 2, open: [1, 1], runningMs: [900, 400] })] })).toBe(1600);
});

test('open rows bound what is made at a time, also with free permits', () => {
  expect(msOf({ openRows: 1, lanes: [{ ...LANE, permits: 4 }] })).toBe(6000);
});

test('a column waits for the ones that it reads, and lanes run side by side', () => {
  const columns = [column(), column({ lane: 1, needs: [0] })];
  expect(msOf({ columns, lanes: [LANE, LANE] })).toBe(4000);
  expect(msOf({ columns: [column(), column({ needs: [0] })] })).toBe(6000);
});

test('cells of several calls make them one after the other, and are taken up where they are', () => {
  const chat = { goesOn: (calls: number) => calls < 3 };
  expect(msOf({ rows: 2, columns: [column(chat)] })).toBe(3000);
  expect(msOf({ rows: 2, columns: [column({ ...chat, open: [3, 2], runningMs: [500] })] })).toBe(2000);
});

test('a call of a tool needs no permit', () => {
  const more = { goesOn: (calls: number) => calls < 2, isToTool: () => true, toolMs: () => 5000 };
  expect(msOf({ rows: 4, columns: [column(more)] })).toBe(7000);
  expect(msOf({ rows: 1, columns: [column({ ...more, open: [2], atTools: 1 })] })).toBe(2500);
});

test('a rate and a pause hold calls up', () => {
  expect(msOf({ lanes: [{ ...LANE, permits: 6, spacingMs: 2000 }], openRows: 6 })).toBe(11_000);
  expect(msOf({ lanes: [{ ...LANE, pausedMs: 700 }] })).toBe(3700);
});

test('of the last rows the cells that others wait for go first', () => {
  const lanes = [
    { ...LANE, permits: 1 },
    { ...LANE, permits: 4 },
  ];
  const slow = column({ lane: 1, needs: [0], callMs: () => 9000 });
  const columns = (later: number) => [column(), column({ later }), slow];
  expect(msOf({ rows: 4, columns: columns(1), lanes })).toBe(13_000);
  expect(msOf({ rows: 4, columns: columns(0), lanes })).toBeGreaterThan(13_000);
});

test('rows beyond those that are made take as long on average', () => {
  expect(msOf({ rows: 1000, openRows: 4 }, 100)).toBeCloseTo(500_000, -4);
  expect(msOfRest({ rows: 1000, openRows: 4, columns: [column()], lanes: [LANE] }, 100).calls).toBe(100);
});
