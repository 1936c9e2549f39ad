import { randomUUID } from 'node:crypto';
import type { WorkflowShare } from '@data-designer/cluster';
import { DataDesignerError, type Plan, type Resource } from '@data-designer/core';
import { endOf, joinResources, type RunEnd } from '@data-designer/engine';
import type { GatewayThread, SharedThread } from '@data-designer/gateway';
import type { StageMaker } from './stage-maker.ts';

/** The limits that all stages of a workflow share: requests in flight, rates, cost and time. */
export class WorkflowLimits implements AsyncDisposable {
  readonly #resources: Resource[] = [];
  readonly #maker: Pick<StageMaker, 'settings' | 'openThread'>;
  readonly #startedAt = performance.now();
  #thread: GatewayThread | undefined;
  /** The cost of the stages that are done. */
  readonly #costs = new Map<string, number>();
  /** The name of the limits on a cluster: those of an earlier coordinator have counted what the folder holds. */
  readonly #id = randomUUID();
  /** What each stage of this run had cost before it, on a cluster, and before each further run of a stage that selects. */
  readonly #starts = new Map<string, number[]>();
  readonly #spentSeconds: number;

  constructor(
    maker: Pick<StageMaker, 'settings' | 'openThread'>,
    { spentSeconds = 0 }: { readonly spentSeconds?: number | undefined } = {},
  ) {
    this.#maker = maker;
    this.#spentSeconds = spentSeconds;
  }

  /** Adds the resources of a stage; call it for all stages before the first begins. */
  readonly add = ({ resources }: Plan): void => {
    this.#resources.push(...resources);
  };

  /** Seconds since the workflow began. */
  get elapsedSeconds(): number {
    return this.#spentSeconds + (performance.now() - this.#startedAt) / 1000;
  }

  /** Why a stage cannot begin; undefined if it can. */
  endBefore({ columns }: Plan): RunEnd | undefined {
    const { maxCost, maxDurationSeconds } = this.#maker.settings();
    const cost = [...this.#costs.values()].reduce((sum, one) => sum + one, 0);
    if (maxCost !== null && cost >= maxCost && columns.some(({ requires }) => requires.models.length > 0))
      return endOf(new DataDesignerError('run/budget-spent', { maxCost, cost }));
    if (maxDurationSeconds !== null && this.elapsedSeconds >= maxDurationSeconds)
      return endOf(new DataDesignerError('run/time-spent', { maxDurationSeconds }));
    return undefined;
  }

  /** The I/O thread for a stage, started with the first that needs it; undefined for one that needs none. */
  threadFor(stage: string, { resources }: Plan): SharedThread | undefined {
    if (resources.length === 0) return undefined;
    if (!this.#thread) {
      this.#thread = this.#maker.openThread(this.#resources);
      for (const [account, cost] of this.#costs) this.#thread.spend(account, cost);
    }
    return { thread: this.#thread, account: stage };
  }

  /** The part of a stage in the limits of all machines. Each of its runs has an account, which the folder closes. */
  shareFor(stage: string): WorkflowShare {
    return {
      id: this.#id,
      resources: joinResources(this.#resources),
      spentBefore: (own) => {
        if (own !== undefined) this.#accountOf(stage, own);
        // What the first run of a stage and later ones have cost is counted in the limits.
        const before = [...this.#starts].map(([name, [first = 0]]) => [name, first] as const);
        return [...new Map([...this.#costs, ...before]).values()].reduce((sum, cost) => sum + cost, 0);
      },
      account: (own) => (own === undefined ? `${stage} later` : this.#accountOf(stage, own)),
      made: () => Object.fromEntries([...this.#starts.keys()].flatMap((name) => this.#closedOf(name))),
    };
  }

  /** The account of a run that begins when its stage has cost so much: a run that cost nothing shares that of the next. */
  #accountOf(stage: string, own: number): string {
    const starts = this.#starts.get(stage) ?? [];
    if (!starts.includes(own)) this.#starts.set(stage, [...starts, own]);
    return accountName(stage, starts.includes(own) ? starts.indexOf(own) : starts.length);
  }

  /** What the runs of a stage have cost that are over. */
  #closedOf(stage: string): readonly (readonly [account: string, cost: number])[] {
    const starts = this.#starts.get(stage) ?? [];
    const ends = [...starts.slice(1), ...(this.#costs.has(stage) ? [this.#costs.get(stage) ?? 0] : [])];
    return ends.map((end, index) => [accountName(stage, index), Math.max(0, end - (starts[index] ?? 0))]);
  }

  /** Counts the cost of a stage that is done. */
  count(stage: string, cost: number | null): void {
    this.#costs.set(stage, cost ?? 0);
    this.#thread?.spend(stage, cost ?? 0);
  }

  /** Ends the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.[Symbol.asyncDispose]();
  }
}

function accountName(stage: string, run: number): string {
  return `${stage} ${run}`;
}
