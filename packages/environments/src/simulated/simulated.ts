import { toolOf } from '../declared-tools.ts';
import type { EnvironmentKind, RowTemplate } from '../environment-kind.ts';
import { asksModel, type SimulatedConfig, simulatedSchema } from './simulated-config.ts';

/** Tools that a model plays over a state that belongs to one row, and tools whose results a table gives. */
export const simulated: EnvironmentKind<SimulatedConfig, typeof simulatedSchema> = {
  kind: 'simulated',
  schema: simulatedSchema,
  templates: templatesOf,
  reads: () => [],
  models: ({ modelAlias, tools }) => {
    const isAsked = typeof tools === 'string' || tools.some(asksModel);
    return modelAlias !== undefined && isAsked ? [{ alias: modelAlias, field: ['modelAlias'] }] : [];
  },
  tools: ({ tools }) => (typeof tools === 'string' ? undefined : tools.map(toolOf)),
  check: async (config) => {
    const { checkSimulated } = await import('./check-simulated.ts');
    return checkSimulated(config);
  },
  open: async (config, options) => {
    const { openSimulated } = await import('./open-simulated.ts');
    return openSimulated(config, options);
  },
};

function templatesOf({ state, instructions, tools }: SimulatedConfig): readonly RowTemplate[] {
  const lookups =
    typeof tools === 'string' ? [] : tools.map(({ lookup }, at) => [['tools', at, 'lookup'], lookup] as const);
  const values = [[['state'], state] as const, [['tools'], tools] as const, ...lookups];
  return [
    ...(instructions === undefined ? [] : [{ source: instructions, field: ['instructions'], as: 'text' } as const]),
    ...values.flatMap(([field, source]): RowTemplate[] =>
      typeof source === 'string' ? [{ source, field, as: 'value' }] : [],
    ),
  ];
}
