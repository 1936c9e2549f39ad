import { DataDesignerError, OPEN_ROWS, openRowsFor, type Resource, WEB } from '@data-designer/core';
import type { MCPProvider } from '@data-designer/config';
import { AdaptiveLimit, ADMISSION_SETTINGS, type AdmissionSettings } from './adaptive-limit.ts';
import { Admission, AdmissionPool } from './admission.ts';
import type { ClusterShares } from './cluster-shares.ts';
import { fixedLimit, type PermitSource } from './permit-source.ts';
import type { JointLimits } from './joint-limits.ts';
import { RatedLimit } from './rated-limit.ts';
import type { ModelState } from './model-state.ts';
import { DOWNLOADS_AT_A_TIME } from '../downloads/web-reader.ts';

/** A resource and its queue. */
export interface ResourceQueue {
  readonly resource: Resource;
  readonly admission: Admission;
}

/** Settings of the queues of a run. */
interface ResourceQueuesOptions {
  readonly settings?: AdmissionSettings;
  /** The shares of this machine in a cluster; absent on one machine. */
  readonly cluster?: ClusterShares | undefined;
  /** Tool providers; `maxParallelCalls` overrides the limit of the plan. */
  readonly toolProviders?: readonly Pick<MCPProvider, 'name' | 'maxParallelCalls'>[];
  /** The limits that this run shares with others; its own if absent. */
  readonly joint?: JointLimits | undefined;
  /** Called when the limit of a resource may have changed. */
  readonly onChange?: (changed: ResourceQueue) => void;
}

/** Downloads: a resource of every run, in no plan. */
const WEB_RESOURCE: Resource = { id: WEB, kind: 'tools', provider: WEB, limit: DOWNLOADS_AT_A_TIME, pool: WEB };

/** The queues of a run: one for each resource, and one for open rows. */
export class ResourceQueues {
  readonly #queues: ReadonlyMap<string, ResourceQueue>;
  readonly #openRows: Admission;

  constructor(
    planned: readonly Resource[],
    { settings = ADMISSION_SETTINGS, cluster, toolProviders = [], joint, onChange }: ResourceQueuesOptions = {},
  ) {
    const caps = new Map(toolProviders.map(({ name, maxParallelCalls }) => [name, maxParallelCalls]));
    const resources = planned.map((resource) => {
      const limit = resource.kind === 'tools' ? caps.get(resource.provider) : undefined;
      return limit === undefined ? resource : { ...resource, limit };
    });
    const pools = poolsOf(resources);
    const openSource = (resource: Resource): PermitSource => permitsOf(resource, { settings, cluster });
    const open = (resource: Resource): ResourceQueue => {
      const permits = joint ? joint.permits(resource, openSource) : openSource(resource);
      const pool = joint ? joint.pool(resource) : pools.get(resource.pool);
      const changed = (): void => {
        this.#openRows.serve();
        onChange?.(queue);
      };
      const admission = new Admission(permits, { ...(pool ? { pool } : {}), onChange: changed });
      const queue: ResourceQueue = { resource, admission };
      return queue;
    };
    const queues = resources.map(open);
    this.#queues = new Map([...queues, open(WEB_RESOURCE)].map((queue) => [queue.resource.id, queue]));
    const busy = queues.filter(({ resource: { kind } }) => kind !== 'rows');
    const rows = () => openRowsFor(busy.reduce((sum, { admission }) => sum + Math.max(1, admission.limit), 0));
    this.#openRows = new Admission(fixedLimit(rows));
  }

  /** The queue of a resource; a resource that is not in the plan has none. */
  queue(id: string): ResourceQueue {
    const queue = this.#queues.get(id);
    if (queue) return queue;
    throw new DataDesignerError('internal/unexpected', { reason: `the resource '${id}' is not in the plan` });
  }

  /** The queue of a resource, or of open rows. */
  admission(id: string): Admission {
    return id === OPEN_ROWS ? this.#openRows : this.queue(id).admission;
  }

  /** Grants no permit any more, not even for a row. */
  pause(): void {
    this.#openRows.pause();
    for (const { admission } of this.#queues.values()) admission.pause();
  }

  /** Grants no permit for a model any more; rows that need none can still be made. */
  pauseModels(): void {
    for (const { admission } of this.#models()) admission.pause();
  }

  /** Whether a call waits for a model. */
  get modelsAreWanted(): boolean {
    return this.#models().some(({ admission }) => admission.waiting > 0);
  }

  /** The state of each model now. */
  get modelStates(): readonly ModelState[] {
    return this.#models().map(({ resource: { id }, admission }) => {
      const { inFlight, limit, waiting, stoppedMs, rateWait, times } = admission;
      const more = { ...(rateWait && { rateWait }), ...(Object.keys(times).length > 0 && { times }) };
      return { resource: id, inFlight, limit, waiting, pausedMs: stoppedMs, ...more };
    });
  }

  #models(): readonly ResourceQueue[] {
    return [...this.#queues.values()].filter(({ resource }) => resource.kind === 'model');
  }
}

/** Says how many requests a resource may have in flight, and at which rate. */
function permitsOf(
  resource: Resource,
  { settings = ADMISSION_SETTINGS, cluster }: Pick<ResourceQueuesOptions, 'settings' | 'cluster'>,
): PermitSource {
  const { kind, limit, ...rates } = resource;
  if (kind !== 'model') return fixedLimit(limit);
  if (cluster) return cluster.source(resource);
  const adaptive = new AdaptiveLimit(limit, settings);
  return rates.requestsPerMinute || rates.tokensPerMinute ? new RatedLimit(adaptive, rates) : adaptive;
}

/**
 * One pool for the resources of the same machines, as large as the largest of their limits: a kind of request that is
 * refused does not hold up the other kinds (it does in NeMo Data Designer).
 */
function poolsOf(resources: readonly Resource[]): ReadonlyMap<string, AdmissionPool> {
  const caps = new Map<string, number>();
  for (const { pool, limit } of resources) caps.set(pool, Math.max(limit, caps.get(pool) ?? 0));
  return new Map([...caps].map(([pool, cap]) => [pool, new AdmissionPool(cap)]));
}

/** The failure of every call that is not journaled once the run is ending. */
export function runIsOver(): DataDesignerError {
  return new DataDesignerError('run/over', { reason: 'the run is ending' });
}
