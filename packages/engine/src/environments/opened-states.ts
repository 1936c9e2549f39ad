import type { CellValue, Plan } from '@data-designer/core';
import { callIn } from '../functions/functions.ts';
import { prepareEnvironments, type RowOfWorld } from './prepare-environments.ts';

/** The row whose environments are opened. */
export interface OpenedRow extends RowOfWorld {
  readonly names: ReadonlySet<string>;
}

/** The states with which environments of a row begin, made again; those that call functions of the declaration are left out. */
export async function openedStates(
  plan: Pick<Plan, 'environments' | 'seed' | 'templates' | 'fields'>,
  { row, rowIndex, names }: OpenedRow,
): Promise<ReadonlyMap<string, CellValue>> {
  const floats = new Set(plan.fields.flatMap(({ name, type }) => (type === 'float64' ? name : [])));
  const environments = (plan.environments ?? []).filter(({ name }) => names.has(name));
  const states = new Map<string, CellValue>();
  for (const [name, environment] of prepareEnvironments({ ...plan, environments }, floats)) {
    try {
      const open = await environment.open({ row, rowIndex }, (handle, args) => callIn(undefined, handle, [args]));
      try {
        states.set(name, await open.snapshot());
      } finally {
        open.close();
      }
    } catch {
      // Its state is not known.
    }
  }
  return states;
}
