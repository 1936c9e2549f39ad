import { DataDesignerError, OPEN_ROWS, openRowsFor, type Resource, WEB } from '@data-designer/core';
import { AdaptiveLimit, ADMISSION_SETTINGS, type AdmissionSettings } from './adaptive-limit.ts';
import { Admission, AdmissionPool } from './admission.ts';
import { fixedLimit } from './permit-source.ts';
import type { ModelState } from '../thread/model-state.ts';
import { DOWNLOADS_AT_A_TIME } from '../downloads/web-reader.ts';

/** A resource and the queue before it. */
export interface ResourceQueue {
  readonly resource: Resource;
  readonly admission: Admission;
}

/** What a plan does not name and every run may use. */
const WEB_RESOURCE: Resource = { id: WEB, kind: 'tools', provider: WEB, limit: DOWNLOADS_AT_A_TIME, pool: WEB };

/** The queues of a run: one for each resource and one for the rows that are open. */
export class ResourceQueues {
  readonly #queues: ReadonlyMap<string, ResourceQueue>;
  readonly #openRows: Admission;

  /** `onChange` is called when the limit of a resource may have changed. */
  constructor(
    resources: readonly Resource[],
    {
      settings = ADMISSION_SETTINGS,
      onChange,
    }: { settings?: AdmissionSettings; onChange?: (changed: ResourceQueue) => void } = {},
  ) {
    const pools = poolsOf(resources);
    const queue = (resource: Resource): [string, ResourceQueue] => {
      const limit =
        resource.kind === 'model' ? new AdaptiveLimit(resource.limit, settings) : fixedLimit(resource.limit);
      const pool = pools.get(resource.pool);
      const changed = (): void => {
        this.#openRows.serve();
        onChange?.(known);
      };
      const known: ResourceQueue = {
        resource,
        admission: new Admission(limit, { ...(pool ? { pool } : {}), onChange: changed }),
      };
      return [resource.id, known];
    };
    const planned = resources.map(queue);
    this.#queues = new Map([...planned, queue(WEB_RESOURCE)]);
    const counted = planned.map(([, { admission }]) => admission);
    const rows = () => openRowsFor(counted.reduce((sum, { limit }) => sum + Math.max(1, limit), 0));
    this.#openRows = new Admission(fixedLimit(rows));
  }

  /** The resource of that name; what is not in the plan cannot be reached. */
  queue(id: string): ResourceQueue {
    const queue = this.#queues.get(id);
    if (queue) return queue;
    throw new DataDesignerError('internal/unexpected', { reason: `the resource '${id}' is not in the plan` });
  }

  /** The queue before a resource, or before the rows. */
  admission(id: string): Admission {
    return id === OPEN_ROWS ? this.#openRows : this.queue(id).admission;
  }

  /** From now on no place is given, not even for a row. */
  pause(): void {
    this.#openRows.pause();
    for (const { admission } of this.#queues.values()) admission.pause();
  }

  /** From now on no place at a model is given; rows that need none can still be made. */
  pauseModels(): void {
    for (const { admission } of this.#models()) admission.pause();
  }

  /** Whether somebody waits for a model. */
  get modelsAreWanted(): boolean {
    return this.#models().some(({ admission }) => admission.waiting > 0);
  }

  /** How each model stands now. */
  get modelStates(): readonly ModelState[] {
    return this.#models().map(({ resource: { id }, admission: { inFlight, limit, waiting, stoppedMs } }) => {
      return { resource: id, inFlight, limit, waiting, pausedMs: stoppedMs };
    });
  }

  #models(): readonly ResourceQueue[] {
    return [...this.#queues.values()].filter(({ resource }) => resource.kind === 'model');
  }
}

/**
 * What is served by the same machines stands together as many as the largest of its limits, so that one kind of request
 * that is held back does not hold back the others (it does in NeMo Data Designer).
 */
function poolsOf(resources: readonly Resource[]): ReadonlyMap<string, AdmissionPool> {
  const caps = new Map<string, number>();
  for (const { pool, limit } of resources) caps.set(pool, Math.max(limit, caps.get(pool) ?? 0));
  return new Map([...caps].map(([pool, cap]) => [pool, new AdmissionPool(cap)]));
}
