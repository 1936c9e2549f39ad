import { expect, test } from 'vitest';
import { DataDesignerError, isFailure, isRetryable, readSecret, resolveSecret } from './index.ts';

test('a failure keeps its code, message and data as plain data', () => {
  const failure = new DataDesignerError('dataset/locked', { path: 'out/a', owner: 'process 7' });
  const wire = structuredClone(failure.toWire());
  const back = DataDesignerError.fromWire(wire);
  expect(back).toBeInstanceOf(DataDesignerError);
  expect(back.code).toBe('dataset/locked');
  expect(back.message).toBe(failure.message);
  expect(isFailure(back, 'dataset/locked') && back.data.owner).toBe('process 7');
});

test('an error of a library is wrapped once and keeps its cause', () => {
  const cause = new TypeError('x is not a function');
  const failure = DataDesignerError.fromUnknown(cause);
  expect(failure.code).toBe('internal/unexpected');
  expect(failure.cause).toBe(cause);
  expect(DataDesignerError.fromUnknown(failure)).toBe(failure);
});

test('a failure on closing does not hide an earlier failure', async () => {
  const first = new DataDesignerError('dataset/disk-full', { path: 'out' });
  const failing = async (): Promise<void> => {
    await using _ = { [Symbol.asyncDispose]: () => Promise.reject(new Error('nor can it be closed')) };
    throw first;
  };
  const thrown = await failing().catch((error: unknown) => error);
  expect(DataDesignerError.fromUnknown(thrown)).toBe(first);
});

test('the table decides which failures are retryable', () => {
  expect(isRetryable('model/rate-limited')).toBe(true);
  expect(isRetryable('model/rejected')).toBe(false);
});

test('a secret is a reference until resolved: ${NAME} must be set, other text is a name or itself', () => {
  const environment = { SOME_KEY: 'k-1' };
  expect(resolveSecret(readSecret('${SOME_KEY}'), environment, 'provider a')).toBe('k-1');
  expect(resolveSecret(readSecret('SOME_KEY'), environment, 'provider a')).toBe('k-1');
  expect(resolveSecret(readSecret('literal-key'), environment, 'provider a')).toBe('literal-key');
  expect(() => resolveSecret(readSecret('${MISSING}'), environment, "provider 'a'")).toThrow(
    "provider 'a' needs the environment variable MISSING",
  );
});

const PREVIEW = { isPreview: true };
const PROCESSOR = { processor: 'p', stage: 'pre', given: 2, made: 1, reason: 'x.', row: 0, rows: 1, code: 'y' };
const WAIT = { model: 'm', status: 429, server: 's', waitSeconds: 3600, until: 'noon', reason: 'r' };

test.each([
  new DataDesignerError('model/asked-to-wait', { ...WAIT, ...PREVIEW }),
  new DataDesignerError('model/server-error', { model: 'm', status: 500, reason: 'r', forAll: true, ...PREVIEW }),
  new DataDesignerError('run/budget-spent', { maxCost: 1, cost: 1, ...PREVIEW }),
  new DataDesignerError('run/time-spent', { maxDurationSeconds: 1, ...PREVIEW }),
  new DataDesignerError('run/stopped-early', { column: 'c', failed: 9, cells: 10, cause: '', ...PREVIEW }),
  new DataDesignerError('run/cell-failed', { column: 'c', row: 1, code: 'x', reason: 'r.', messages: [], ...PREVIEW }),
  new DataDesignerError('processor/no-rows', { ...PROCESSOR, ...PREVIEW }),
  new DataDesignerError('processor/failed', { ...PROCESSOR, ...PREVIEW }),
  new DataDesignerError('processor/changed-rows', { ...PROCESSOR, ...PREVIEW }),
  new DataDesignerError('processor/bad-rows', { ...PROCESSOR, ...PREVIEW }),
])('the end of a preview speaks of no saved answers: $code', ({ code, data, message }) => {
  const saved = new DataDesignerError(code, { ...(data as object), isPreview: false } as never).message;
  expect(message).not.toMatch(/saved|resume|written/i);
  expect(saved).toMatch(/resume/i);
  // The rest of the message is the same.
  expect(message.split(/[.;]/)[0]).toBe(saved.split(/[.;]/)[0]);
});
