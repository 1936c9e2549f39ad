import { expect, test } from 'vitest';
import type { RunEvent } from '../run-event.ts';
import { RunSummary } from '../run-summary.ts';
import type { AcceptedRows } from './accepted-rows.ts';
import type { SelectingPlan } from './candidate-plan.ts';
import { SelectionEvents } from './selection-events.ts';

test('the ends of runs that make candidates and of their groups are not those of the dataset, which begins once', () => {
  const events: RunEvent[] = [];
  const plan = { segments: [{ firstRow: 0, rows: 7, groupSize: 7 }] } as unknown as SelectingPlan;
  const rows = { accepted: 2 } as AcceptedRows;
  const selection = new SelectionEvents({ plan, path: '/data/chosen', rows, onEvent: (event) => events.push(event) });
  const lost = [{ column: 'said', code: 'model/rejected', message: 'no', rows: 1 }] as const;
  for (const _ of [1, 2]) {
    selection.take({ type: 'run-start', path: '/data/candidates', rows: 50, rowsDone: 0 } as RunEvent);
    selection.take({ type: 'row-group-end', group: 0, rows: 49, lost });
    selection.take({ type: 'run-end', rows: 49, elapsedMs: 1, ended: null, ...new RunSummary().findings });
  }
  expect(events).toEqual([{ type: 'run-start', path: '/data/chosen', rows: 7, rowsDone: 2 }]);
  expect(selection.lostIn(0)).toEqual(lost);
});
