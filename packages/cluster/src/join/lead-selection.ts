import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DataDesignerError, NEVER } from '@data-designer/core';
import { datasetPaths, readJsonFile } from '@data-designer/dataset';
import { run as runPlan } from '@data-designer/engine';
import { openCluster } from '../open-cluster.ts';
import { type LedSession, secondsOf } from '../session/lead-session.ts';
import { imageFoldersOf, type SelectionRecord } from '../start-record.ts';
import type { FoundSession } from './find-runs.ts';
import type { PartOptions } from './joined-machine.ts';
import { readShared } from './read-shared.ts';

/** Continues a selection whose coordinator is lost, from the files of the folder, and finishes the dataset. */
export async function leadSelection(
  found: FoundSession<SelectionRecord>,
  parts: PartOptions,
  { machine, machines: own }: LedSession,
): Promise<void> {
  const { run, session, paths } = found;
  const { plan, format } = await readShared(found, session, parts);
  const {
    version,
    code,
    functions,
    mediaRoots,
    allowPrivate,
    leaseMs,
    ends,
    compact,
    admission,
    maxConcurrentRowGroups,
    limits,
  } = session;
  const [candidates = ''] = session.runs;
  if (session.tables > 0 && !existsSync(datasetPaths(join(paths.folder, candidates)).run)) {
    const reason = 'The coordinator was lost before it had written the seed rows';
    throw new DataDesignerError('cluster/cannot-lead', { path: paths.folder, reason });
  }
  const imageFolders = imageFoldersOf(session, paths.folder);
  await using machines = await openCluster({
    connection: parts.connection,
    run,
    successor: { machine, path: paths.folder },
    parts: own,
    version,
    code,
    functions,
    mediaRoots,
    allowPrivate,
    imageFolders,
    leaseMs,
    leave: parts.drain,
    watch: parts.watch,
    limits: limits && {
      ...limits,
      spentBefore: () => limits.spentBefore,
      account: () => limits.account,
      made: () => limits.made,
    },
  });
  await runPlan(plan, {
    ...parts,
    mediaRoots: [...(parts.mediaRoots ?? []), ...imageFolders],
    artifactPath: dirname(paths.folder),
    datasetName: basename(paths.folder),
    resume: 'always',
    format,
    compact,
    seed: null,
    document: await readJsonFile(paths.builderConfig, { exact: false }),
    ends: { ...ends, spentSeconds: (ends.spentSeconds ?? 0) + (await secondsOf(paths, run, machine.text)) },
    admission,
    maxConcurrentRowGroups,
    skippedProbes: new Map(session.skippedProbes),
    tables: [],
    keepsTables: true,
    machines,
    // This machine leaves the run when it is drained; it does not end it.
    drain: NEVER,
  });
}
