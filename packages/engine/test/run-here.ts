import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { DataDesignerError, NEVER, type Plan, type ToolSchema } from '@data-designer/core';
import type { Providers } from '@data-designer/config';
import { groupsLeft, planOf } from '../src/resume/continue-run.ts';
import { GroupChannel } from '../../gateway/src/group-channel.ts';
import { folderJournal } from '../../dataset/src/journal/folder-journal.ts';
import { Journal } from '../../gateway/src/journal/journal.ts';
import { ProviderRouter } from '../../gateway/src/provider-router.ts';
import { PortGateway } from '../../gateway/src/port-gateway.ts';
import { serveDryReplay } from '../../gateway/src/thread/dry-replay.ts';
import type { RunGateway } from '../../gateway/src/run-gateway.ts';
import type { GroupChannels } from '../src/executor/executor.ts';
import { GroupCommits } from '../src/commit/group-commits.ts';
import { RunProgress } from '../src/progress/run-progress.ts';
import { recordProgress, recordStart } from '../src/commit/run-metadata.ts';
import { preparePlan } from '../src/row-group/prepare-plan.ts';
import type { ResumedGroup, RowGroupContext } from '../src/row-group/group-context.ts';
import type { RowGroupResult } from '../src/row-group/row-group-result.ts';
import { runRowGroup } from '../src/row-group/run-row-group.ts';
import { writeBatch } from '../src/row-group/write-batch.ts';
import { RunSummary } from '../src/run-summary.ts';
import { type DatasetFolder, openDatasetFolder } from '../../dataset/src/dataset-folder.ts';
import type { FrozenTools } from '../../dataset/src/index.ts';
import { readJournaledAnswers } from '../src/resume/journaled-answers.ts';
import { withSpent } from '../src/resume/rows-again.ts';
import { mergeBatches, mergeSideFiles } from '../../dataset/src/merge/merge-batches.ts';
import { sideTables } from '../../dataset/src/side-tables.ts';
import { registry } from './plan-of.ts';

/** The gateway of a run in this thread: the group channels and journals of the I/O thread, without the thread. */
export class GatewayHere implements RunGateway {
  readonly lost = new Promise<never>(() => {});
  readonly spent = new Promise<never>(() => {});
  readonly #router: ProviderRouter;
  readonly #channels = new Map<number, GroupChannel>();

  constructor(router: ProviderRouter) {
    this.#router = router;
  }

  openGroup(group: number, journalPath: string | null): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const journal = journalPath === null ? undefined : Journal.open(folderJournal(journalPath));
    const channel = new GroupChannel({ router: this.#router, journal, wake });
    this.#channels.set(group, channel);
    channel.attach(port1);
    return port2;
  }

  async closeGroup(group: number, { keepJournal }: { readonly keepJournal: boolean }): Promise<void> {
    await this.#channels.get(group)?.close({ keepJournal });
    this.#channels.delete(group);
  }

  endGroup(group: number): void {
    this.#channels.get(group)?.endAsking();
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }

  listTools(provider: string): Promise<readonly ToolSchema[]> {
    return this.#router.listTools(provider);
  }

  redact<Value>(value: Value): Promise<Value> {
    return Promise.resolve(value);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

/** What is received in a turn is written and sent at its end, as in the I/O thread. */
function wake(channel: GroupChannel): void {
  setImmediate(() => channel.flush());
}

/** What many runs in this thread have in common: connections and tool servers. */
export function openRouter({ resources }: Plan, providers: Providers): ProviderRouter {
  return new ProviderRouter({ resources, providers, frozen: {}, environment: {}, allowPrivate: true });
}

/** A dataset to be made, or gone on with where it was begun. */
export interface RunHere {
  readonly plan: Plan;
  readonly router: ProviderRouter;
  readonly artifactPath: string;
  readonly resume: boolean;
  /** Whether lost rows are made again. */
  readonly retryLost?: boolean;
  /** The row group that asks nothing more once it has a row, as at the end of a budget; none unless given. */
  readonly ending?: number;
}

const NAME = 'made';
const FORMAT = 'parquet';
const HOW = { format: FORMAT, onEvent: () => {}, signal: NEVER, drain: NEVER } as const;

/** A run as `run.ts` has it, with its row groups and its gateway in this thread: gives the path of the dataset. */
export async function runHere(run: RunHere): Promise<string> {
  const { plan: fresh, router, artifactPath, resume, retryLost = false, ending } = run;
  await using folder = await openDatasetFolder({ artifactPath, datasetName: NAME, resume });
  const how = { resume: resume ? 'always' : 'never', seed: null, format: FORMAT, onEvent: () => {} } as const;
  const { plan, prior } = await planOf(fresh, folder, how);
  const summary = new RunSummary();
  const { left, partial } = await groupsLeft(plan, { folder, summary, prior, options: { ...HOW, retryLost } });
  if (left.length > 0) {
    const { paths } = folder;
    const journaled = await readJournaledAnswers(plan, left, { paths, partial });
    const gateway = new GatewayHere(router);
    const tools = prior?.tools ?? { 'demo-tools': await router.listTools('demo-tools') };
    const replayed = new Map<number, RowGroupResult>();
    const again = journaled.groups.filter((group) => group.again);
    for (const group of again) replayed.set(group.index, await replay(plan, group, { folder, tools }));
    const groups = await withSpent(journaled.groups, replayed, { paths, partial });
    await recordStart(folder, { plan, format: FORMAT, tools, tables: [] }, {});
    const progress = new RunProgress(plan, { summary, groups: left });
    const parts = {
      plan,
      folder,
      gateway,
      summary,
      progress,
      format: FORMAT,
      tables: [],
      tools: {},
      voided: new Map(),
      partial,
    } as const;
    const commits = new GroupCommits({ ...parts, onEvent: () => {} });
    const watched = (group: number) => group === ending && { watch: endedOnceMade(() => gateway.endGroup(group)) };
    await commits.take(makeGroups(plan, groups, { channels: commits.channels, watched }));
  }
  if ((await folder.partialGroups()).length === 0) {
    await mergeBatches(folder.paths, { format: FORMAT });
    for (const table of sideTables(plan)) await mergeSideFiles(folder.paths, table, FORMAT);
  }
  await recordProgress(folder, { plan, summary });
  return folder.path;
}

/** What the journal of a group answers, and what that has cost. */
async function replay(
  plan: Plan,
  group: ResumedGroup,
  { folder, tools }: { readonly folder: DatasetFolder; readonly tools: FrozenTools },
): Promise<RowGroupResult> {
  const { entries } = await folderJournal(folder.paths.journal(group.index)).read();
  const { port1, port2 } = new MessageChannel();
  serveDryReplay(port1, { entries, tools });
  using gateway = new PortGateway(port2);
  return await runRowGroup(preparePlan(plan, registry), group, {
    gateway,
    isDryReplay: true,
    signal: NEVER,
    folder: folder.path,
    tables: () => Promise.resolve(new Map()),
    write: () => Promise.resolve(undefined),
  });
}

type Watched = Pick<RowGroupContext, 'watch'>;

/** Makes all groups at once; gives them as they are ready. */
async function* makeGroups(
  plan: Plan,
  groups: readonly ResumedGroup[],
  { channels, watched }: { readonly channels: GroupChannels; readonly watched: (group: number) => Watched | false },
): AsyncGenerator<RowGroupResult> {
  const prepared = preparePlan(plan, registry);
  const abort = new AbortController();
  const make = async (group: ResumedGroup): Promise<RowGroupResult> => {
    using gateway = new PortGateway(channels.open(group.index));
    const destination = channels.destination(group.index);
    return await runRowGroup(prepared, group, {
      gateway,
      signal: abort.signal,
      folder: channels.folder,
      tables: () => Promise.resolve(new Map()),
      write: (batch, side) => writeBatch(destination, batch, side),
      ...watched(group.index),
    });
  };
  const making = new Map(groups.map((group) => [group.index, make(group)]));
  try {
    while (making.size > 0) {
      const result = await Promise.race(making.values());
      making.delete(result.group);
      yield result;
    }
  } catch (thrown) {
    abort.abort();
    throw DataDesignerError.fromUnknown(thrown);
  }
}

/** Ends a group as soon as one of its rows is made. */
function endedOnceMade(end: () => void): NonNullable<RowGroupContext['watch']> {
  return (sample) => {
    let isOver = false;
    const look = (): void => {
      if (isOver) return;
      if (sample().rows > 0) end();
      else setImmediate(look);
    };
    setImmediate(look);
    return { report: () => {}, [Symbol.dispose]: () => void (isOver = true) };
  };
}
