import { modelOf, type ModelState } from '@data-designer/gateway';
import type { LostRows, Plan } from '@data-designer/core';
import type { PricedUsage } from '@data-designer/models';
import type { AttemptFigures } from '../attempt-figures.ts';
import type { RedisAway } from './redis-event.ts';
import type { GroupProgress } from '../row-group/group-progress.ts';
import type { AnswerFlaws } from './answer-flaws.ts';

/** The progress of a run as plain data; counts include earlier runs on the dataset. */
export interface ProgressSnapshot {
  /** Since this run's first row group began. */
  readonly elapsedMs: number;
  /** The rows of the dataset. */
  readonly rows: {
    readonly wanted: number;
    /** Finished, committed or not. */
    readonly done: number;
    /** Of these, the rows of earlier runs. */
    readonly before: number;
    readonly lost: number;
    /** Current rate of finished rows. */
    readonly perSecond: number;
  };
  /** What a selection has decided; absent without one. The rows above are then the accepted ones. */
  readonly selection?: {
    /** Finished and lost candidates. */
    readonly candidates: number;
    /** The candidates up to the end of this step; `columns` count cells of them. */
    readonly planned: number;
    readonly decided: number;
    /** Why candidates were refused, the most frequent first. */
    readonly refused: readonly LostRows[];
  };
  /** Seconds left at the current rate; null without a rate, and where the run ended early. */
  readonly etaSeconds: number | null;
  /** In most cases the seconds left are between these; absent where they are known more exactly. */
  readonly etaRange?: {
    readonly least: number;
    /** Null while a column has no answer yet: its calls may take any time. */
    readonly most: number | null;
  };
  /** The columns made with models, tools or other services, in the order of the plan. */
  readonly columns: readonly ColumnProgress[];
  /** The row groups of the dataset. */
  readonly groups: { readonly total: number; readonly done: number; readonly open: number };
  /** In the currency of the prices. */
  readonly cost: {
    /** Null where an answer has no price. */
    readonly soFar: number | null;
    /** Of the whole dataset; null while unknown. */
    readonly forecast: number | null;
    /** The budget and what is left of it; null without one. */
    readonly budget: number | null;
    readonly left: number | null;
  };
  /** Usage by model alias. */
  readonly usage: Readonly<Record<string, AliasProgress>>;
  /** The state of each model. */
  readonly models: readonly ModelProgress[];
  /** The tool calls so far. */
  readonly tools: { readonly calls: number; readonly errors: number };
  /** The machines of a cluster; absent for a run on one machine. */
  readonly machines?: readonly MachineProgress[];
  /** The Redis of the cluster, while it does not answer this machine; absent otherwise. */
  readonly redis?: RedisAway;
  /** The blocks of attempts, by name; absent without any. */
  readonly attempts?: Readonly<Record<string, AttemptFigures>>;
  /** Accepted answers with a flaw, by column. */
  readonly flaws: readonly AnswerFlaws[];
  /** The three most frequent reasons for lost rows. */
  readonly failures: readonly LostRows[];
}

/** A machine of a cluster. */
export interface MachineProgress {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly isCoordinator: boolean;
  /** Open row groups. */
  readonly groups: number;
  /** The rows of the groups that it has committed. */
  readonly rows: number;
  /** Requests to models in flight. */
  readonly inFlight: number;
  /** Milliseconds since its last report; 0 for the coordinator. */
  readonly lastSeenMs: number;
  /** Whether it has stopped to report without leaving the run. */
  readonly isLost: boolean;
}

/** What a machine reports to the coordinator once a second. */
export interface MachineReport extends Pick<MachineProgress, 'id' | 'host' | 'pid' | 'rows'> {
  readonly open: readonly GroupProgress[];
  readonly models: readonly ModelState[];
}

/** A machine's last report, and how old it is. */
export type SeenMachine = MachineReport & Pick<MachineProgress, 'lastSeenMs' | 'isLost'>;

/** The progress of a column: a cell of a lost row counts as done. */
export interface ColumnProgress {
  readonly column: string;
  /** Finished cells, of `rows.wanted`. */
  readonly done: number;
  /** Requests to models in flight. */
  readonly inFlight: number;
  /** Current rate of finished cells. */
  readonly perSecond: number;
}

/** The usage of a model alias, and its current tokens per second. */
export interface AliasProgress extends Pick<
  PricedUsage,
  'requests' | 'failedRequests' | 'inputTokens' | 'outputTokens' | 'cost'
> {
  readonly inputTokensPerSecond: number;
  readonly outputTokensPerSecond: number;
}

/** The state of a model, with its aliases. */
export interface ModelProgress extends Omit<ModelState, 'resource'> {
  /** Provider and model. */
  readonly model: string;
  readonly aliases: readonly string[];
}

/** A model whose state was not reported yet. */
const UNTOLD: Partial<ModelState> = {};

/** The states of a plan's models over all machines. */
export function joinStates(states: readonly ModelState[]): readonly ModelState[] {
  const joined = new Map<string, ModelState>();
  for (const state of states) {
    const { inFlight = 0, limit = 0, waiting = 0, pausedMs = 0 } = joined.get(state.resource) ?? {};
    const { times } = joined.get(state.resource) ?? {};
    joined.set(state.resource, {
      ...state,
      ...(times && { times: joinTimes(times, state.times ?? {}) }),
      inFlight: inFlight + state.inFlight,
      limit: limit + state.limit,
      waiting: waiting + state.waiting,
      pausedMs: Math.max(pausedMs, state.pausedMs),
    });
  }
  return [...joined.values()];
}

type Times = NonNullable<ModelState['times']>;

function joinTimes(one: Times, other: Times): Times {
  const columns = new Set([...Object.keys(one), ...Object.keys(other)]);
  const joined = (column: string, of: 'ended' | 'running') =>
    [one, other].flatMap((times) => times[column]?.[of] ?? []).toSorted(([a], [b]) => a - b);
  return Object.fromEntries(
    Array.from(columns, (column) => [column, { ended: joined(column, 'ended'), running: joined(column, 'running') }]),
  );
}

/** The progress of a plan's models from states of `elapsedMs` ago; the initial state where none was reported. */
export function modelProgress(
  { models, resources }: Pick<Plan, 'models' | 'resources'>,
  states: readonly ModelState[],
  elapsedMs: number,
): ModelProgress[] {
  const told = new Map(states.map((state) => [state.resource, state]));
  return resources.flatMap((resource) => {
    if (resource.kind !== 'model') return [];
    const { id } = resource;
    const aliases = Object.values(models).flatMap((model) => (model.resource === id ? model.alias : []));
    const { inFlight = 0, limit = resource.limit, waiting = 0, pausedMs = 0, rateWait } = told.get(id) ?? UNTOLD;
    const leftMs = Math.max(0, pausedMs - elapsedMs);
    return { model: modelOf(id), aliases, inFlight, limit, waiting, pausedMs: leftMs, ...(rateWait && { rateWait }) };
  });
}
