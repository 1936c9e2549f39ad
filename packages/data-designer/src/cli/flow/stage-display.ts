import { stringifyJson } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import { pluralize } from '../../printing/format-numbers.ts';
import type { WorkflowEvent } from '../../workflow/stage.ts';
import { showRun } from '../progress/show-run.ts';

/** Shows the stages of a workflow on standard error, each as a run of its own. */
export class StageDisplay {
  readonly #flags: Parameters<typeof showRun>[0];
  readonly #runConfig: Parameters<typeof showRun>[1];
  readonly #stages: number;
  #waiting: RunEvent[] = [];
  #show: ((event: RunEvent) => void) | undefined;
  #made: PromiseWithResolvers<void> | undefined;
  #shown: Promise<void> | undefined;

  constructor(flags: Parameters<typeof showRun>[0], runConfig: Parameters<typeof showRun>[1], stages: number) {
    this.#flags = flags;
    this.#runConfig = runConfig;
    this.#stages = stages;
  }

  readonly take = (event: WorkflowEvent): void => {
    if (event.type === 'stage-event') {
      if (this.#show) this.#show(event.event);
      else this.#waiting.push(event.event);
      return;
    }
    process.stderr.write(`${this.#flags.json ? stringifyJson(event) : this.#line(event)}\n`);
    if (event.type === 'stage-start') this.#open();
    if (event.type === 'stage-end') this.#made?.resolve();
  };

  /** Ends the display of the last stage. */
  async end(failure?: unknown): Promise<void> {
    if (failure === undefined) this.#made?.resolve();
    else this.#made?.reject(failure);
    await this.#shown?.catch(() => {});
  }

  #open(): void {
    const made = Promise.withResolvers<void>();
    this.#made = made;
    this.#show = undefined;
    this.#waiting = [];
    this.#shown = showRun(this.#flags, this.#runConfig, (show) => {
      for (const event of this.#waiting) show(event);
      this.#show = show;
      return made.promise;
    });
    this.#shown.catch(() => {});
  }

  #line(event: Exclude<WorkflowEvent, { readonly type: 'stage-event' }>): string {
    const stage = `Stage ${event.index + 1} of ${this.#stages}, ${event.stage}:`;
    if (event.type === 'stage-replace') return `${stage} made again, because ${event.reason}`;
    const rows = pluralize(event.rows, 'row');
    if (event.type === 'stage-reuse') return `${stage} unchanged, ${rows}`;
    return event.type === 'stage-start' ? `${stage} ${rows} to make` : `${stage} ${rows} made`;
  }
}
