import { relative } from 'node:path';
import type { JoinedRunEvent, JoinEvent } from '@data-designer/cluster';
import { pluralize } from '@data-designer/printing';
import { describeEvent } from './describe-event.ts';

/** An event of a machine that joined a folder, as text; an event of a run in it begins with the folder of the run. */
export function describeJoinEvent(event: JoinEvent | JoinedRunEvent, joined: string): string {
  switch (event.type) {
    case 'join-wait':
      return `There is no run on a cluster in ${event.path} yet; waiting for create --cluster.`;
    case 'join-start':
      return describeStart(event);
    case 'join-progress':
      return describeJoinProgress(event);
    case 'join-lead':
      return `The coordinator of the run on ${event.path} has stopped, and this machine coordinates it now.`;
    case 'join-cannot-lead':
      return `The coordinator of the workflow in ${event.path} has stopped, and this machine cannot take its place: ${event.reason.replace(/\.$/, '')}. Continue the workflow with create … --resume always --cluster, or with run({ resume: 'always', cluster }) in code; this machine waits for it.`;
    default: {
      const inside = relative(joined, event.folder);
      return `${inside === '' ? '' : `${inside}: `}${describeEvent(event)}`;
    }
  }
}

function describeStart({
  path,
  groups,
  coordinator,
  standsByFor,
}: JoinEvent & { readonly type: 'join-start' }): string {
  const joined = `Joined the run on ${path}, which ${coordinator} began: ${pluralize(groups, 'row group')}.`;
  if (standsByFor.length === 0) return joined;
  const names = standsByFor.map((alias) => `'${alias}'`).join(' and ');
  return `${joined} The tools ${names} run on one machine (single_machine): this one waits, and takes over if the coordinator is lost.`;
}

function describeJoinProgress({ path, rows, groups, runs }: JoinEvent & { readonly type: 'join-progress' }): string {
  const made = `${pluralize(rows, 'record')} made here`;
  if (runs.length <= 1) return `${made}, ${pluralize(groups, 'row group')} open.`;
  const open = runs.map((run) => `${run.groups} in ${relative(path, run.path)}`);
  return `${made}, ${pluralize(groups, 'row group')} open: ${open.join(', ')}.`;
}
