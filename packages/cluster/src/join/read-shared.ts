import { DataDesignerError } from '@data-designer/core';
import { readRunRecord, type RunRecord } from '@data-designer/dataset';
import { refuseDifferent, type SelectionRecord, type StartRecord, type WorkflowRecord } from '../start-record.ts';
import type { FoundRun } from './find-runs.ts';
import type { PartOptions } from './joined-machine.ts';

/** The stored run, where this machine has its version and its code. Throws `cluster/*`. */
export async function readShared(
  { paths }: Pick<FoundRun, 'paths'>,
  record: StartRecord | SelectionRecord,
  { plugins, digests, version, functions: given }: PartOptions,
): Promise<RunRecord> {
  const stored = withPlugins(await readRunRecord(paths), plugins);
  await refuseDifferent(record, paths, { version, code: await digests(stored.plan.plugins ?? [], given) });
  const functions = record.functions.filter((handle) => !given.has(handle));
  if (functions.length > 0) throw new DataDesignerError('cluster/missing-functions', { path: paths.folder, functions });
  return stored;
}

/** Throws `cluster/differs` for a machine with another version or other code than a workflow. */
export async function refuseOtherCode(
  record: WorkflowRecord,
  paths: FoundRun['paths'],
  { plugins, digests, version, functions }: PartOptions,
): Promise<void> {
  await refuseDifferent(record, paths, { version, code: await digests(plugins, functions) });
}

/** The record of a run, with plug-ins where they lie on this machine. */
function withPlugins(record: RunRecord, plugins: readonly string[]): RunRecord {
  return plugins.length === 0 ? record : { ...record, plan: { ...record.plan, plugins } };
}
