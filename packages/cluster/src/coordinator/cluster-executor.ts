import type { RowGroup } from '@data-designer/core';
import type { Executor, GroupChannels, RowGroupResult } from '@data-designer/engine/parts';
import type { Machine } from '../machine/machine.ts';
import type { Answer, PollRequest } from '../redis/run-state.ts';
import { Coordinator, type CoordinatorParts } from './coordinator.ts';

/** What the executor of a run on a cluster uses. */
export interface ClusterExecutorParts extends Omit<CoordinatorParts, 'local'> {
  readonly local: Executor;
  readonly machine: Machine;
  /** Closes connections. */
  readonly close: () => Promise<void>;
}

/** Has row groups made by the machines of a cluster, this one included. */
export class ClusterExecutor implements Executor {
  readonly #parts: ClusterExecutorParts;
  readonly #coordinator: Coordinator;

  constructor(parts: ClusterExecutorParts) {
    this.#parts = parts;
    this.#coordinator = new Coordinator(parts);
  }

  get slots(): number {
    return this.#parts.local.slots;
  }

  /** Called when this machine has committed a group. */
  readonly onCommitted = (group: number): void => this.#coordinator.onCommitted(group);

  /** What this machine sends with its report. */
  readonly pollRequest = (): PollRequest | undefined => this.#coordinator.pollRequest();

  /** Takes the answer to a report. */
  readonly onAnswer = (answer: Answer): void => this.#coordinator.onAnswer(answer);

  async *run(groups: Iterable<RowGroup>, channels: GroupChannels): AsyncGenerator<RowGroupResult> {
    const { machine, works } = this.#parts;
    machine.channels = channels;
    if (works) await machine.work();
    yield* this.#coordinator.run(groups, channels);
  }

  /** Leaves the run: another machine may coordinate it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { machine, close } = this.#parts;
    this.#coordinator.close();
    await machine.close();
    await close();
  }
}
