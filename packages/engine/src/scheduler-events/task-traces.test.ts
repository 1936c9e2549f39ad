import type { Plan } from '@data-designer/core';
import { expect, test } from 'vitest';
import type { TaskStep } from '../row-group/task-steps.ts';
import { TaskTraces } from './task-traces.ts';

const COLUMNS = [
  { name: '_internal_row_id', needs: [] },
  { name: 'id', needs: [] },
  { name: 'city', needs: ['id'] },
  { name: 'text', needs: ['city'] },
  { name: '_select_where', needs: ['text'] },
];

function openTraces(): TaskTraces {
  return new TaskTraces({ columns: COLUMNS, select: { where: '_select_where' } } as unknown as Plan);
}

/** Steps of row group 3, whose first row is 30. */
function step(kind: TaskStep['kind'], at: number, more: Partial<TaskStep> = {}): TaskStep {
  return { kind, at, group: 3, firstRow: 30, column: 'text', row: 31, ...more };
}

const ENDED = { group: 3, rows: 1, unfinished: 0, lost: [], failures: [] };

test('a trace of a declared column has the position in the row group, the time of the first permit and the message of the failure', () => {
  const traces = openTraces();
  const { onGroupStart, onSteps, onGroupEnd } = traces.observer;
  onGroupStart?.(3);
  onSteps?.([
    step('selected', 1, { column: '_internal_row_id', row: null }),
    step('task_completed', 1, { column: '_internal_row_id', row: null }),
    step('selected', 2, { column: 'city', row: null }),
    step('task_completed', 3, { column: 'city', row: null, error: 'template/empty-render' }),
    step('selected', 4),
    step('task_lease_acquired', 5),
    step('task_lease_acquired', 7),
    step('task_completed', 8, { error: 'model/bad-answer' }),
    step('selected', 4, { column: '_select_where' }),
    step('task_completed', 4, { column: '_select_where' }),
    step('selected', 4, { row: 32 }),
    step('task_completed', 9, { row: 32, error: 'model/unauthorized' }),
  ]);
  onGroupEnd?.({
    ...ENDED,
    lost: [{ column: 'city', code: 'template/empty-render', message: 'is empty', rows: 2 }],
    failures: [
      {
        row: 31,
        column: 'text',
        code: 'model/bad-answer',
        message: 'of this row',
        onFailure: 'drop_row',
        messages: [],
      },
      {
        row: 1,
        column: 'text',
        code: 'model/bad-answer',
        message: 'of another row',
        onFailure: 'drop_row',
        messages: [],
      },
    ],
    fatal: { code: 'model/unauthorized', message: 'the key is wrong', data: {} } as never,
  });
  const text = { column: 'text', rowGroup: 3, taskType: 'cell', dispatchedAt: 4, status: 'error' };
  expect(traces.list()).toEqual([
    {
      column: 'city',
      rowGroup: 3,
      rowIndex: null,
      taskType: 'batch',
      dispatchedAt: 2,
      slotAcquiredAt: 2,
      completedAt: 3,
      status: 'error',
      error: 'is empty',
    },
    { ...text, rowIndex: 1, slotAcquiredAt: 5, completedAt: 8, error: 'of this row' },
    { ...text, rowIndex: 2, slotAcquiredAt: 4, completedAt: 9, error: 'the key is wrong' },
  ]);
});

test('tasks that a lost worker thread or the end of the run interrupted are cancelled, and made again have another trace', () => {
  const traces = openTraces();
  const { onGroupStart, onSteps } = traces.observer;
  onGroupStart?.(3);
  onSteps?.([step('selected', 1)]);
  onGroupStart?.(3);
  onSteps?.([step('selected', 2), step('task_completed', 3), step('selected', 4, { row: 32 })]);
  const ended = traces.list().map(({ rowIndex, dispatchedAt, status }) => ({ rowIndex, dispatchedAt, status }));
  expect(ended).toEqual([
    { rowIndex: 1, dispatchedAt: 2, status: 'ok' },
    { rowIndex: 1, dispatchedAt: 1, status: 'cancelled' },
    { rowIndex: 2, dispatchedAt: 4, status: 'cancelled' },
  ]);
});
