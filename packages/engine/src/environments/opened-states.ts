import { type CellValue, DataDesignerError, type Plan } from '@data-designer/core';
import { callIn } from '../functions/functions.ts';
import { prepareEnvironments, type Reach, type RowOfWorld } from './prepare-environments.ts';

/** The row whose environments are opened. */
export interface OpenedRow extends RowOfWorld {
  readonly names: ReadonlySet<string>;
}

/** What belongs to a run: functions, and servers. */
const NOTHING: Reach = {
  callFunction: (handle, args) => callIn(undefined, handle, [args]),
  startServer: () => {
    throw new DataDesignerError('run/aborted', { reason: 'servers are started in a run only' });
  },
};

/** The states with which environments of a row begin, made again; those that need functions of the declaration or servers are left out. */
export async function openedStates(
  plan: Pick<Plan, 'environments' | 'seed' | 'templates' | 'fields'>,
  { row, rowIndex, names }: OpenedRow,
): Promise<ReadonlyMap<string, CellValue>> {
  const floats = new Set(plan.fields.flatMap(({ name, type }) => (type === 'float64' ? name : [])));
  const environments = (plan.environments ?? []).filter(({ name }) => names.has(name));
  const states = new Map<string, CellValue>();
  for (const [name, environment] of prepareEnvironments({ ...plan, environments }, floats)) {
    try {
      const open = await environment.open({ row, rowIndex }, NOTHING);
      try {
        states.set(name, await open.snapshot());
      } finally {
        await open.close();
      }
    } catch {
      // Its state is not known.
    }
  }
  return states;
}
