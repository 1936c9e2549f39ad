import { toolOf } from '../declared-tools.ts';
import type { EnvironmentKind } from '../environment-kind.ts';
import { type CodeConfig, codeSchema } from './code-config.ts';

/** Functions over a state that belongs to one row. */
export const code: EnvironmentKind<CodeConfig, typeof codeSchema> = {
  kind: 'code',
  schema: codeSchema,
  templates: () => [],
  reads: ({ requiredColumns }) => requiredColumns,
  tools: ({ tools }) => tools.map(toolOf),
  check: () => Promise.resolve([]),
  open: async (config, options) => {
    const { openCode } = await import('./open-code.ts');
    return openCode(config, options);
  },
};
