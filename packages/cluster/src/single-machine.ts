import { DataDesignerError, type Plan } from '@data-designer/core';

type Tooled = Pick<Plan, 'tools'>;

/**
 * The tool configs whose tools run on one machine only. A row group is made as a whole, so a run that uses one has all its
 * groups made by the machine that coordinates; the others take its place if it is lost.
 */
export function singleMachineTools({ tools }: Tooled): readonly string[] {
  return Object.values(tools).flatMap(({ alias, singleMachine }) => (singleMachine ? [alias] : []));
}

/** Throws `cluster/single-machine` for a coordinator that makes no groups although no other machine may. */
export function refuseIdle(plan: Tooled, { work = true }: { readonly work?: boolean | undefined }): void {
  const [alias] = singleMachineTools(plan);
  if (alias !== undefined && !work) throw new DataDesignerError('cluster/single-machine', { alias });
}
