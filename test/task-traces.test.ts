import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder, type TaskTrace } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';

let artifactPath: string;

beforeEach(() => {
  artifactPath = mkdtempSync(join(tmpdir(), 'task-traces-'));
});
afterEach(() => rmSync(artifactPath, { recursive: true }));

const RUN = { seed: 5, bufferSize: 2 };

/** A config with a model column, a column that skips rows, and one that fails for the kind x. */
function declared() {
  return (
    new DataDesignerConfigBuilder()
      .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'simulator' })
      .addColumn({ name: 'kind', columnType: 'sampler', samplerType: 'category', params: { values: ['1', '2', 'x'] } })
      .addColumn({ name: 'text', columnType: 'llm-text', modelAlias: 'writer', prompt: 'Say {{ kind }}.' })
      .addColumn({
        name: 'odd',
        columnType: 'expression',
        expr: '{{ kind }}',
        skip: { when: "{{ kind in [2, '2'] }}" },
      })
      // Needs no answer of a model, so it fails while the text of its row is requested.
      .addColumn({ name: 'number', columnType: 'expression', dtype: 'int', expr: '{{ kind }}' })
  );
}

function tasksOf(traces: readonly TaskTrace[], column: string): readonly TaskTrace[] {
  return traces.filter((trace) => trace.column === column);
}

/** How many of the traces have each status. */
function statuses(traces: readonly TaskTrace[]): Readonly<Record<string, number>> {
  const counts = Map.groupBy(traces, ({ status }) => status);
  return Object.fromEntries([...counts].map(([status, of]) => [status, of.length]));
}

test(
  'task traces have one entry for each cell and each column filled for a row group, with times and outcome',
  { tags: 'long' },
  async () => {
    await using making = new DataDesigner({ artifactPath, runConfig: { ...RUN, asyncTrace: true } });
    const results = await making.create(declared(), { numRecords: 9 });
    const { taskTraces: traces, count } = results;
    expect(count).toBeGreaterThan(0);
    const lost = 9 - count;
    expect(lost).toBeGreaterThan(0);
    expect(tasksOf(traces, 'kind')).toHaveLength(5);
    expect(tasksOf(traces, 'kind')[0]).toMatchObject({ rowIndex: null, taskType: 'from_scratch', status: 'ok' });
    // A skipped cell is a task without an error.
    expect((await Array.fromAsync(results.records())).filter(({ odd }) => odd === null)).not.toHaveLength(0);
    expect(statuses(tasksOf(traces, 'odd'))).toEqual({ ok: 9 });
    expect(statuses(tasksOf(traces, 'number'))).toEqual({ ok: count, error: lost });
    expect(statuses(tasksOf(traces, 'text'))).toEqual({ ok: count, cancelled: lost });
    const cells = tasksOf(traces, 'text').map(({ rowGroup, rowIndex }) => rowGroup * 2 + (rowIndex ?? Number.NaN));
    expect(cells.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    const failures = await Array.fromAsync(results.failures());
    const messages = traces.flatMap(({ error }) => error ?? []);
    expect(messages.toSorted()).toEqual(failures.map(({ message }) => message).toSorted());
    for (const { dispatchedAt, slotAcquiredAt, completedAt } of traces) {
      expect(slotAcquiredAt).toBeGreaterThanOrEqual(dispatchedAt);
      expect(completedAt).toBeGreaterThanOrEqual(slotAcquiredAt);
    }
    const ends = traces.map(({ completedAt }) => completedAt);
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    const requested = tasksOf(traces, 'text').filter(({ status }) => status === 'ok');
    for (const { dispatchedAt, slotAcquiredAt } of requested) expect(slotAcquiredAt).toBeGreaterThan(dispatchedAt);
  },
);

test(
  'after a resume the task traces are those of the new rows, and without the setting there are none',
  { tags: 'long' },
  async () => {
    await using making = new DataDesigner({ artifactPath, runConfig: { ...RUN, asyncTrace: true } });
    const first = await making.create(declared(), { numRecords: 4 });
    expect(tasksOf(first.taskTraces, 'number')).toHaveLength(4);
    const more = await making.create(declared(), { numRecords: 9, resume: 'always' });
    expect(more.count).toBeGreaterThan(first.count);
    expect(tasksOf(more.taskTraces, 'number')).toHaveLength(5);
    expect(new Set(more.taskTraces.map(({ rowGroup }) => rowGroup))).toEqual(new Set([2, 3, 4]));
    const { taskTraces } = await making.preview(declared(), { numRecords: 2 });
    expect(tasksOf(taskTraces ?? [], 'number')).toHaveLength(2);
    making.setRunConfig(RUN);
    expect((await making.preview(declared(), { numRecords: 2 })).taskTraces).toBeNull();
    expect((await making.create(declared(), { numRecords: 9, resume: 'always' })).taskTraces).toEqual([]);
  },
);

test('a column that cannot be filled in every row of its row group has a trace with the failure', async () => {
  await using making = new DataDesigner({ artifactPath, runConfig: { seed: 5, asyncTrace: true } });
  const config = new DataDesignerConfigBuilder()
    .addColumn({ name: 'most', columnType: 'sampler', samplerType: 'category', params: { values: [0, 5] } })
    .addColumn({ name: 'some', columnType: 'sampler', samplerType: 'uniform', params: { low: 1, high: 2 } })
    .addConstraint({ constraintType: 'column_inequality', targetColumn: 'some', operator: 'lt', rhs: 'most' });
  const { taskTraces, lost, count } = await making.preview(config, { numRecords: 6 });
  expect(count).toBeGreaterThan(0);
  const failed = (taskTraces ?? []).filter(({ status }) => status !== 'ok');
  expect(failed).toMatchObject([{ column: 'some', rowIndex: null, status: 'error', error: lost[0]?.message }]);
});
