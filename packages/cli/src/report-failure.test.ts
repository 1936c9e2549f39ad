import { afterEach, expect, test } from 'vitest';
import { DataDesignerError } from '@data-designer/core';
import { reportStopped } from './report-failure.ts';

const sayHowToContinue = (): void => {};
const continuation = (): string => 'Continue with: it';

afterEach(() => {
  process.exitCode = undefined;
});

test.each([
  new DataDesignerError('run/budget-spent', { maxCost: 1, cost: 2 }),
  new DataDesignerError('run/time-spent', { maxDurationSeconds: 2 }),
])('a limit that is reached before the first row is reported with how the run continues', async (end) => {
  const told: string[] = [];
  const note = ({ code }: { readonly code: string }): string => {
    told.push(code);
    return continuation();
  };
  await reportStopped(end, { json: false }, { sayHowToContinue, continuation: note });
  expect(told).toEqual([end.code]);
  expect(process.exitCode).toBe(1);
});

test('other failures are thrown on, and with JSON a limit too', async () => {
  const other = new DataDesignerError('run/over', { reason: 'x' });
  await expect(reportStopped(other, { json: false }, { sayHowToContinue, continuation })).rejects.toBe(other);
  const end = new DataDesignerError('run/time-spent', { maxDurationSeconds: 2 });
  await expect(reportStopped(end, { json: true }, { sayHowToContinue, continuation })).rejects.toBe(end);
});
