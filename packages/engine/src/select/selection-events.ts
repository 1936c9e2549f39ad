import { type LostRows, rowsIn, LostRowCount } from '@data-designer/core';
import type { ProgressSnapshot } from '../progress/progress-snapshot.ts';
import type { RunEvent } from '../run-event.ts';
import type { AcceptedRows } from './accepted-rows.ts';
import type { SelectingPlan } from './candidate-plan.ts';

/** The events of a run of candidates that say nothing about the dataset. */
const OF_CANDIDATES: ReadonlySet<RunEvent['type']> = new Set([
  'run-end',
  'row-group-end',
  'folder-divert',
  'folder-reuse',
  'resume-fail',
  'merge-fail',
]);

/** What the events of a selection are made from. */
interface EventParts {
  readonly plan: SelectingPlan;
  /** The dataset's folder. */
  readonly path: string;
  readonly rows: AcceptedRows;
  readonly onEvent: (event: RunEvent) => void;
}

/** Reports the runs that make candidates as one run that makes accepted rows. */
export class SelectionEvents {
  readonly #parts: EventParts;
  /** The rows of earlier runs. */
  #before = 0;
  #hasBegun = false;
  readonly #lost = new Map<number, readonly LostRows[]>();

  constructor(parts: EventParts) {
    this.#parts = parts;
  }

  /** Why this run's candidates were lost or refused before they were complete. */
  get lost(): readonly LostRows[] {
    return LostRowCount.join([...this.#lost.values()].flat());
  }

  /** The same for a row group. */
  lostIn(group: number): readonly LostRows[] {
    return this.#lost.get(group) ?? [];
  }

  /** Takes an event of a run that makes candidates. */
  take(event: RunEvent): void {
    const { path, plan, rows, onEvent } = this.#parts;
    if (event.type === 'row-group-end') this.#lost.set(event.group, event.lost);
    if (OF_CANDIDATES.has(event.type)) return;
    if (event.type === 'progress') return onEvent({ type: 'progress', snapshot: this.#accepted(event.snapshot) });
    if (event.type !== 'run-start') return onEvent(event);
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#before = rows.accepted;
    const wanted = rowsIn(plan.segments);
    // More candidates than rows are no rows that the dataset has twice.
    const { seedRows = Infinity, ...started } = event;
    const again = seedRows < wanted ? { seedRows } : {};
    onEvent({ ...started, path, rows: wanted, rowsDone: this.#before, ...again });
  }

  /** The progress of the accepted rows, at the share of candidates that was accepted so far. */
  #accepted(snapshot: ProgressSnapshot): ProgressSnapshot {
    const { rows } = this.#parts;
    const wanted = rowsIn(this.#parts.plan.segments);
    const { etaRange: _, ...counted } = snapshot;
    const { rows: candidates } = snapshot;
    const share = rows.decided === 0 ? 1 : rows.accepted / rows.decided;
    const perSecond = candidates.perSecond * share;
    const left = wanted - rows.accepted;
    return {
      ...counted,
      rows: { ...candidates, wanted, done: rows.accepted, before: this.#before, perSecond },
      selection: {
        candidates: candidates.done + candidates.lost,
        planned: candidates.wanted,
        decided: rows.decided,
        refused: rows.refused,
      },
      etaSeconds: left === 0 ? 0 : perSecond > 0 ? Math.ceil(left / perSecond) : null,
      cost: { ...snapshot.cost, forecast: null },
    };
  }
}
