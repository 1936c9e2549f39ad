import { DataDesignerError } from '@data-designer/core';
import { readRunRecord, type RunRecord } from '@data-designer/dataset';
import {
  lackedCode,
  lackedVersion,
  type SelectionRecord,
  type SessionRecord,
  type StartRecord,
  type WorkflowRecord,
} from '../start-record.ts';
import type { FoundRun } from './find-runs.ts';
import type { PartOptions } from './joined-machine.ts';
import { lackedBy } from './lacking.ts';

/** The stored run, for a machine that can make all of its cells. Throws `cluster/lacks` with all that it lacks. */
export async function readShared(
  { paths }: Pick<FoundRun, 'paths'>,
  record: StartRecord | SelectionRecord,
  parts: PartOptions,
): Promise<RunRecord> {
  const { plugins, version } = parts;
  const older = lackedVersion(record, version);
  const stored = await readRunRecord(paths).catch((failure: unknown) => {
    // Another version may have another format.
    refuseLacking(paths, older);
    throw failure;
  });
  const own = withPlugins(stored, plugins);
  const code = await lackedShared(record, paths, { ...parts, plugins: own.plan.plugins ?? [] });
  refuseLacking(paths, [...older, ...code, ...lackedBy(own.plan, parts)]);
  return own;
}

/** Throws `cluster/lacks` for a machine with another version or other code than a workflow. */
export async function refuseOtherCode(
  record: WorkflowRecord,
  paths: FoundRun['paths'],
  parts: PartOptions,
): Promise<void> {
  refuseLacking(paths, [...lackedVersion(record, parts.version), ...(await lackedShared(record, paths, parts))]);
}

function refuseLacking({ folder: path }: FoundRun['paths'], lacks: readonly string[]): void {
  if (lacks.length > 0) throw new DataDesignerError('cluster/lacks', { path, lacks });
}

/** What a machine lacks of the code and the permissions of the program that began a run. */
async function lackedShared(
  record: StartRecord | SessionRecord,
  paths: FoundRun['paths'],
  { plugins, digests, functions: given, mediaRoots = [], allowPrivate }: PartOptions,
): Promise<readonly string[]> {
  const functions = record.functions.filter((handle) => !given.has(handle));
  const lost = new Set(functions.map((handle) => `the function ${handle}`));
  const code = await lackedCode(record, paths, await digests(plugins, given));
  const roots = record.mediaRoots - mediaRoots.length;
  return [
    // A missing function has no code either.
    ...new Set([...code, ...lost]),
    ...(roots > 0 ? [`${roots === 1 ? 'a media root' : `${roots} media roots`} (--media-root)`] : []),
    ...(record.allowPrivate && !allowPrivate ? ['the permission for private addresses (--allow-private)'] : []),
  ];
}

/** The record of a run, with plug-ins where they lie on this machine. */
function withPlugins(record: RunRecord, plugins: readonly string[]): RunRecord {
  return plugins.length === 0 ? record : { ...record, plan: { ...record.plan, plugins } };
}
