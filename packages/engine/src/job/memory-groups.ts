import type { GroupChannels } from '../executor/executor.ts';
import type { DatasetPaths } from '@data-designer/dataset';
import { journalRecovery } from '../resume/group-recovery.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { SinkParts } from './make-row-groups.ts';
import type { GroupSink } from '../executor/executor.ts';

/** The rows of a group in memory, as Arrow IPC streams. */
type GroupStreams = Extract<RowGroupResult['output'], { bytes: unknown }>;

/** Receives the row groups of a preview in memory. */
export class MemoryGroups implements GroupSink {
  readonly #parts: SinkParts;
  readonly #paths: Pick<DatasetPaths, 'journal'>;
  readonly #streams: Map<number, GroupStreams>;

  /** Puts the streams of each group into `streams`; groups that lose their worker have a journal in `paths`. */
  constructor(parts: SinkParts, paths: Pick<DatasetPaths, 'journal'>, streams: Map<number, GroupStreams>) {
    this.#parts = parts;
    this.#paths = paths;
    this.#streams = streams;
  }

  get channels(): GroupChannels {
    const { plan, gateway, progress, tables, tools, observer } = this.#parts;
    return {
      plan,
      tables,
      open: (group) => {
        progress.open(group);
        observer?.onGroupStart?.(group);
        return gateway.openGroup(group, this.#paths.journal(group));
      },
      destination: () => ({ kind: 'memory' }),
      recovery: journalRecovery(this.#paths, tools),
      redact: (value) => gateway.redact(value),
    };
  }

  async take(results: AsyncIterable<RowGroupResult>): Promise<void> {
    const { summary, progress, gateway, observer } = this.#parts;
    for await (const result of results) {
      if (result.output && 'bytes' in result.output) this.#streams.set(result.group, result.output);
      summary.add(result);
      progress.close(result);
      // Hands on the records of its calls.
      if (observer) await gateway.closeGroup(result.group, { keepJournal: false });
      observer?.onGroupEnd?.(result);
    }
  }

  /** Nothing stays of a preview that failed. */
  async settle(): Promise<void> {}
}
