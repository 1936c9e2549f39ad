import type { WorkflowEvent } from '@data-designer/workflow';
import { continueCommand } from '../display/interrupt-hint.ts';

/** Saved rows of a stage. */
interface SavedStage {
  readonly saved: number;
  /** Null while the stage has not begun. */
  readonly wanted: number | null;
}

/** Counts the saved rows of each stage, for the hint after an interrupt. */
export class SavedStages {
  #path: string | undefined;
  readonly #stages = new Map<string, SavedStage>();

  readonly count = (event: WorkflowEvent): void => {
    switch (event.type) {
      case 'workflow-start':
        this.#path = event.path;
        for (const { stage } of event.stages) this.#stages.set(stage, { saved: 0, wanted: null });
        return;
      case 'stage-reuse':
        return void this.#stages.set(event.stage, { saved: event.rows, wanted: event.rows });
      case 'stage-start':
        return void this.#stages.set(event.stage, { saved: 0, wanted: event.rows });
      case 'stage-event':
        return this.#countRun(event.stage, event.event);
      default:
    }
  };

  #countRun(stage: string, event: Extract<WorkflowEvent, { readonly type: 'stage-event' }>['event']): void {
    const { saved, wanted } = this.#stages.get(stage) ?? { saved: 0, wanted: null };
    if (event.type === 'run-start') this.#stages.set(stage, { saved: event.rowsDone, wanted: event.rows });
    if (event.type === 'row-group-end') this.#stages.set(stage, { saved: saved + event.rows, wanted });
  }

  /** What an interrupted `create` prints; `args` are the words of its command line. */
  hint(args: readonly string[], name: string): string {
    if (this.#path === undefined) return 'Interrupted before the run began.\n';
    return `Interrupted. ${this.continuation(args, name)}\n`;
  }

  /** What is saved of a workflow that ended early, and the command that continues it; empty text before the run began. */
  continuation(args: readonly string[], name: string): string {
    if (this.#path === undefined) return '';
    const stages = [...this.#stages].map(([stage, { saved, wanted }]) =>
      wanted === null ? `${stage}: not begun` : `${stage}: ${saved} of ${wanted} rows`,
    );
    const command = continueCommand(args, { path: this.#path, name });
    return `Saved rows of each stage: ${stages.join('; ')}. Continue with: ${command}`;
  }
}
