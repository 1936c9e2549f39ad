import type { ProgressSnapshot } from '@data-designer/engine';
import type { StageReport } from './check-workflow.ts';
import { inputsIn } from './inputs/stage-inputs.ts';
import type { Stage } from './stage.ts';
import type { StageSnapshot, WorkflowEvent, WorkflowSnapshot, WorkflowStage } from './workflow-event.ts';

/** The parts of `WorkflowProgress` other than the stages. */
interface ProgressParts {
  readonly workflow: string;
  readonly path: string;
  readonly reports: readonly StageReport[];
  readonly numRecords: number;
  readonly maxCost: number | null;
  readonly onEvent: (event: WorkflowEvent) => void;
}

/** Adds `workflow-start` and `workflow-progress` to the events of a workflow's stages. */
export class WorkflowProgress {
  readonly #stages: Map<string, StageSnapshot>;
  readonly #outlines: readonly WorkflowStage[];
  /** Stages with as many rows as another one. */
  readonly #sameRows: ReadonlyMap<string, string>;
  readonly #maxCost: number | null;
  readonly #onEvent: (event: WorkflowEvent) => void;
  readonly #startedAt = performance.now();

  constructor(stages: readonly Stage[], { workflow, path, reports, numRecords, maxCost, onEvent }: ProgressParts) {
    this.#outlines = outline(stages, reports, numRecords);
    this.#sameRows = sameRows(stages);
    this.#maxCost = maxCost;
    this.#onEvent = onEvent;
    this.#stages = new Map(this.#outlines.map((stage) => [stage.stage, waiting(stage)]));
    onEvent({ type: 'workflow-start', workflow, path, stages: this.#outlines });
  }

  /** Takes an event of a stage, and passes it on. */
  readonly take = (event: WorkflowEvent): void => {
    this.#onEvent(event);
    const before = 'stage' in event ? this.#stages.get(event.stage) : undefined;
    const now = before && snapshotAfter(before, event);
    if (!now) return;
    this.#stages.set(now.stage, now);
    this.#onEvent({ type: 'workflow-progress', snapshot: this.snapshot() });
  };

  /** The progress of all stages. */
  snapshot(): WorkflowSnapshot {
    const stages = this.#withRows();
    return {
      elapsedMs: Math.round(performance.now() - this.#startedAt),
      stages,
      requests: stages.reduce((total, { requests }) => total + requests, 0),
      cost: costOf(stages, this.#maxCost),
      time: timeOf(stages, this.#outlines),
    };
  }

  /** The stages in order; one that takes its input as it is has the rows of that. */
  #withRows(): readonly StageSnapshot[] {
    const wanted = new Map<string, number | null>();
    return [...this.#stages.values()].map((stage) => {
      const same = wanted.get(this.#sameRows.get(stage.stage) ?? '') ?? null;
      const rows = { ...stage.rows, wanted: stage.rows.wanted ?? same };
      wanted.set(stage.stage, rows.wanted);
      return { ...stage, rows };
    });
  }
}

function outline(stages: readonly Stage[], reports: readonly StageReport[], numRecords: number): WorkflowStage[] {
  const modelsOf = new Map(reports.map(({ stage, models }) => [stage, models]));
  return stages.map(({ name, index, dependsOn, options }) => ({
    stage: name,
    index,
    dependsOn,
    rows: options.rows ?? (dependsOn.length === 0 ? numRecords : null),
    models: modelsOf.get(name) ?? [],
  }));
}

function sameRows(stages: readonly Stage[]): ReadonlyMap<string, string> {
  const mapped = new Set(stages.flatMap(({ name, options }) => (options.map ? [name] : [])));
  const alike = stages.flatMap(({ name, dependsOn: [before, ...others], options }): [string, string][] => {
    const isChanged = options.rows !== undefined || inputsIn(options).length > 0 || mapped.has(before ?? '');
    return before === undefined || others.length > 0 || isChanged ? [] : [[name, before]];
  });
  return new Map(alike);
}

/** A stage without models costs nothing. */
function waiting({ stage, index, rows, models }: WorkflowStage): StageSnapshot {
  const cost = { soFar: 0, known: 0, forecast: models.length === 0 ? 0 : null };
  return { stage, index, state: 'waiting', rows: { wanted: rows, done: 0, lost: 0 }, requests: 0, cost, run: null };
}

/** A stage after an event; undefined if the event does not change it. */
function snapshotAfter(before: StageSnapshot, event: WorkflowEvent): StageSnapshot | undefined {
  switch (event.type) {
    case 'stage-start':
      return { ...before, state: 'running', rows: { ...before.rows, wanted: event.rows } };
    case 'stage-skip':
      return {
        ...before,
        state: 'skipped',
        rows: { wanted: 0, done: 0, lost: 0 },
        cost: { soFar: 0, known: 0, forecast: 0 },
      };
    case 'stage-reuse': {
      const { rows, requests, cost, knownCost } = event;
      return {
        ...before,
        state: 'reused',
        rows: { wanted: rows, done: rows, lost: 0 },
        requests,
        cost: { soFar: cost, known: knownCost, forecast: cost },
      };
    }
    case 'stage-end': {
      const cost = { ...before.cost, forecast: before.cost.soFar };
      return { ...before, state: 'done', rows: { ...before.rows, done: event.rows }, cost };
    }
    case 'stage-event':
      if (event.event.type === 'progress') return running(before, event.event.snapshot);
      return event.event.type === 'run-end' && event.event.ended ? { ...before, state: 'stopped' } : undefined;
    default:
      return undefined;
  }
}

function running(before: StageSnapshot, run: ProgressSnapshot): StageSnapshot {
  const { wanted, done, lost } = run.rows;
  const { soFar, forecast } = run.cost;
  const used = Object.values(run.usage);
  const requests = used.reduce((total, one) => total + one.requests, 0);
  const known = soFar ?? used.reduce((total, one) => total + (one.cost ?? 0), 0);
  return { ...before, rows: { wanted, done, lost }, requests, cost: { soFar, known, forecast }, run };
}

/** The sum of costs; null where one is unknown. */
function sum(costs: readonly (number | null)[]): number | null {
  return costs.reduce((total, cost) => (total === null || cost === null ? null : total + cost), 0);
}

function costOf(stages: readonly StageSnapshot[], budget: number | null): WorkflowSnapshot['cost'] {
  const unknown = stages.filter(({ cost }) => cost.forecast === null && cost.soFar !== null);
  const known = stages.filter((stage) => !unknown.includes(stage));
  const spent = stages.reduce((total, { cost }) => total + cost.known, 0);
  return {
    soFar: sum(stages.map(({ cost }) => cost.soFar)),
    known: spent,
    unpriced: stages.flatMap(({ stage, cost }) => (cost.soFar === null ? [stage] : [])),
    forecast: sum(known.map(({ cost }) => cost.forecast)),
    unknown: unknown.map(({ stage }) => stage),
    budget,
    left: budget === null ? null : Math.max(0, budget - spent),
  };
}

function timeOf(stages: readonly StageSnapshot[], outlines: readonly WorkflowStage[]): WorkflowSnapshot['time'] {
  const etas = stages.filter(({ state }) => state === 'running').map(({ run }) => run?.etaSeconds ?? null);
  const usesModels = new Set(outlines.flatMap(({ stage, models }) => (models.length > 0 ? [stage] : [])));
  const unknown = stages.filter(({ stage, state }) => state === 'waiting' && usesModels.has(stage));
  return {
    etaSeconds: etas.reduce<number | null>(
      (most, eta) => (most === null || eta === null ? null : Math.max(most, eta)),
      0,
    ),
    unknown: unknown.map(({ stage }) => stage),
  };
}
