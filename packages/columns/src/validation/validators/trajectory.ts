import { field } from '@data-designer/core';
import { runFinding } from '../../run-finding.ts';
import { verdictField } from '../target-verdicts.ts';
import { defineValidator, loadedOnce } from './validator.ts';

const FINDING = {
  struct: [field('message', 'int64'), field('kind', 'utf8'), field('reason', 'utf8')],
} as const;
const VERDICT = [field('is_valid', 'bool'), field('findings', { list: FINDING })] as const;

/** Checks lists of messages for faults. */
export const trajectory = defineValidator({
  type: 'trajectory',
  field: ({ name, targetColumns }) => verdictField(name, targetColumns, VERDICT),
  reads: ({ toolsColumn }) =>
    toolsColumn === null ? [] : [{ name: toolsColumn, field: ['validatorParams', 'toolsColumn'] }],
  requires: ({ toolAlias }) => ({ tools: toolAlias === null ? [] : [toolAlias] }),
  check: ({ params: { toolAlias, toolsColumn } }) => {
    if (toolAlias === null || toolsColumn === null) return [];
    return [
      runFinding(['validatorParams', 'toolsColumn'], {
        message: 'the tools are given twice, by tool_alias and by tools_column.',
        remedy: 'Remove one of them.',
      }),
    ];
  },
  make: ({ targetColumns, params }) => ({
    cell: loadedOnce(async () => {
      const { validateTrajectory } = await import('../validate-trajectory.ts');
      return validateTrajectory({ targetColumns, ...params });
    }),
  }),
});
