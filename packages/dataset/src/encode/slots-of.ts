import type { ArrowField, Batch } from '@data-designer/core';
import { misfit } from './misfit.ts';
import type { Slots } from './slots.ts';

/** The values of one field of a batch; a `TypeError` if the column is absent, of another length, or null where it must not be. */
export function slotsOf({ columns, rows }: Batch, field: ArrowField): Slots {
  const values = columns.get(field.name);
  if (values === undefined) throw new TypeError(`Column '${field.name}' is declared but was not made.`);
  if (values.length !== rows) {
    throw new TypeError(`Column '${field.name}' has ${values.length} values where the batch has ${rows} rows.`);
  }
  const slots: Slots = { name: field.name, values, rowOf: (slot) => slot };
  if (!field.nullable) refuseNulls(slots, field);
  return slots;
}

function refuseNulls(slots: Slots, field: ArrowField): void {
  const { values } = slots;
  if (ArrayBuffer.isView(values)) return;
  for (let slot = 0; slot < values.length; slot++) {
    if (values[slot] === null || values[slot] === undefined) throw misfit(slots, slot, field.type);
  }
}
