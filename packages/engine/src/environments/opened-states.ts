import { type CellValue, DataDesignerError, type Plan, type Row } from '@data-designer/core';
import { prepareEnvironments } from './prepare-environments.ts';

/** The row whose environments are opened. */
export interface OpenedRow {
  /** The cells that the environments are made from. */
  readonly row: Row;
  /** The row of the plan. */
  readonly rowIndex: number;
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
  for (const [name, { kind, config, valuesOf, random }] of prepareEnvironments({ ...plan, environments }, floats)) {
    try {
      const open = await kind.open(config, {
        rowIndex,
        values: valuesOf(row),
        random: random.copy().at(rowIndex),
        callFunction: ({ handle }) =>
          Promise.reject(
            new DataDesignerError('function/unavailable', { function: handle, reason: 'no run calls it' }),
          ),
      });
      states.set(name, await open.snapshot());
      open.close();
    } catch {
      // Its state is not known.
    }
  }
  return states;
}
