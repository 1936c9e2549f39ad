import type { Cell, CellValue, WrittenValues } from '@data-designer/core';
import { type OfferedTools, readMessages, readTools, type TrajectoryFinding } from '@data-designer/trajectory';
import { verdictCell } from './target-verdicts.ts';
import type { TrajectoryParams } from './validator-params.ts';

/** The targets and the rules of a validation of conversations. */
export interface TrajectoryValidation extends Omit<TrajectoryParams, 'validatorType'> {
  readonly targetColumns: readonly string[];
}

/** Makes the cells of a validation of conversations; the tools are read once for all rows, unless a column has them. */
export function validateTrajectory(params: TrajectoryValidation): (cell: Cell) => Promise<WrittenValues> {
  const { targetColumns, toolAlias, toolsColumn, maxEqualCalls, language, identity, ignore } = params;
  const rules = { maxEqualCalls, language: language ?? undefined, identity, ignore };
  let offered: Promise<OfferedTools | undefined> | undefined;
  return async (cell) => {
    offered ??= toolAlias === null ? Promise.resolve(undefined) : cell.toolSchemas(toolAlias).then(readTools);
    const { findingsOf } = await import('@data-designer/trajectory/findings');
    const tools = toolsColumn === null ? await offered : readTools(cell.row[toolsColumn]);
    return verdictCell(cell.row, targetColumns, (value) =>
      verdictOn(value, (messages) => findingsOf(messages, { ...rules, tools })),
    );
  };
}

/** Null is not judged, and neither is a value other than messages. */
function verdictOn(
  value: CellValue,
  find: (messages: NonNullable<ReturnType<typeof readMessages>>) => readonly TrajectoryFinding[],
): CellValue {
  if (value === null) return { is_valid: null, findings: [] };
  const messages = readMessages(value);
  if (!messages) {
    const reason = 'the cell holds no list of messages with role and content';
    return { is_valid: null, findings: [{ message: null, kind: 'not_messages', reason }] };
  }
  const findings = find(messages);
  return { is_valid: findings.length === 0, findings: findings.map((finding) => ({ ...finding })) };
}
