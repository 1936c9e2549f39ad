import { DataDesignerError, type FailedCell, type WireFailure, type WrittenValues } from '@data-designer/core';
import { addressKey } from '@data-designer/gateway';
import { endsRun } from '../functions/failure-scope.ts';
import { cellKey, type MakingGroup } from './making-group.ts';
import type { RowColumn } from './prepare-plan.ts';
import type { RowEnvironments } from '../environments/row-environments.ts';
import { type Attempt, RowCell } from './row-cell.ts';
import type { OpenRow } from './row-columns.ts';

/** Starts one cell of a row, alone or together with those of the other rows. */
export function startCell(
  { services, barriers, journaledCalls, failedCells, context: { serial } }: MakingGroup,
  rowColumn: RowColumn,
  at: {
    readonly row: OpenRow;
    readonly rowIndex: number;
    readonly attempt?: Attempt | undefined;
    readonly environments?: RowEnvironments | undefined;
  },
): WrittenValues | Promise<WrittenValues> {
  const { column, make, random } = rowColumn;
  const { name, reads } = column;
  const { attempt, environments } = at;
  const open = (firstCall = 0) => new RowCell({ ...at, column: name, reads, random, firstCall }, services);
  if (!('cell' in make)) return barriers.get(rowColumn)?.arrive(open()) ?? [];
  const cell = { row: at.rowIndex, column: column.name, ...(attempt && { attempt: attempt.number }) };
  const failure = failedCells.size > 0 ? failureOf(cell, failedCells) : undefined;
  if (failure) throw DataDesignerError.fromWire(failure);
  // An attempt that failed stays failed, or a replay would accept another one.
  const isOnce = journaledCalls.size === 0 || attempt !== undefined;
  const { environments: names } = column;
  const inWorlds = environments && names ? { environments, names } : undefined;
  const making = inWorlds
    ? (own: RowCell) => inWorlds.environments.fromStart(inWorlds.names, () => make.cell(own))
    : make.cell;
  const alone = () => (isOnce ? making(open()) : makeCell(making, open, journaledCalls));
  const inside = { column: column.name, row: at.row, attempt: attempt?.number };
  const start = inWorlds ? () => inWorlds.environments.makeCell({ ...inside, names: inWorlds.names }, alone) : alone;
  return serial ? serial.make(cell, start) : start();
}

/** The recorded failure of a cell, in its attempt or in all. */
function failureOf(
  cell: Omit<FailedCell, 'failure'>,
  failedCells: MakingGroup['failedCells'],
): WireFailure | undefined {
  const { row, column } = cell;
  return failedCells.get(cellKey(cell)) ?? failedCells.get(cellKey({ row, column }));
}

/**
 * Makes a cell that must not fail. A journaled answer that ended an earlier run would end this one too, so the cell is
 * requested again with later call numbers; a later run finds both conversations in the journal. The cell fails for good
 * once its last call was made in this run. `open` opens the cell with its calls numbered from `firstCall`.
 */
export async function makeCell(
  make: (cell: RowCell) => WrittenValues | Promise<WrittenValues>,
  open: (firstCall: number) => RowCell,
  journaledCalls: ReadonlySet<string>,
): Promise<WrittenValues> {
  for (let firstCall = 0; ;) {
    const cell = open(firstCall);
    try {
      return await make(cell);
    } catch (thrown) {
      const last = cell.lastCall;
      const isReplayed = last && journaledCalls.has(addressKey(last));
      if (!isReplayed || endsRun(DataDesignerError.fromUnknown(thrown))) throw thrown;
      firstCall = last.call + 1;
    }
  }
}
