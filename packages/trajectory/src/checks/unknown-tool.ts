import type { TrajectoryCheck } from '../trajectory.ts';

/** Calls of tools that are not offered. */
export const unknownTool = {
  kind: 'unknown_tool',
  description: 'A call of a tool that is not offered.',
  flaw: 'unofferedTool',
  find({ messages, first, rules: { tools } }, report) {
    if (!tools) return;
    messages.slice(first).forEach(({ calls }, index) => {
      for (const { name } of calls) {
        if (!tools.names.has(name)) report(first + index, `it calls the tool '${name}', which is not offered`);
      }
    });
  },
} as const satisfies TrajectoryCheck;
