import type { Violation } from '@data-designer/core';
import { kindOf } from '@data-designer/environments';
import type { ColumnRegistry } from '../column-registry.ts';
import { withEnvironments } from '../environment-columns.ts';
import type { ParsedDataset } from '../parse-dataset.ts';
import { runError } from './check.ts';
import { factsOf } from './column-facts.ts';

/** Finds mistakes in environments and in queries over their states that show where worlds are tried, as wrong SQL. */
export async function checkWorlds(parsed: ParsedDataset, registry: ColumnRegistry): Promise<readonly Violation[]> {
  const { config, pathOf } = parsed;
  const found = await Promise.all(
    (config.environments ?? []).map(async (environment, index) => {
      const mistakes = await kindOf(environment).check(environment);
      return mistakes.map(({ field, message, remedy }): Violation => ({
        path: pathOf('environments', index, ...field),
        ...runError('invalid_environment', message, remedy),
      }));
    }),
  );
  return [...found.flat(), ...(await checkStateQueries(parsed, registry))];
}

/** Tries the queries over states of one environment; with several, a state has no tables of its own. */
async function checkStateQueries(
  { config, columnPath }: ParsedDataset,
  registry: ColumnRegistry,
): Promise<readonly Violation[]> {
  const facts = withEnvironments(
    config.columns.map((column) => factsOf(column, registry)),
    config,
  );
  const environmentOf = (state: string) => {
    const { environments = [] } = facts.find(({ writes }) => writes.some(({ name }) => name === state)) ?? {};
    return environments.length === 1 ? config.environments?.find(({ name }) => name === environments[0]) : undefined;
  };
  const asked = facts.flatMap(({ column, type }) =>
    (type.stateQueries?.(column) ?? []).map((query) => ({ ...query, column: column.name })),
  );
  const found = await Promise.all(
    asked.map(async ({ column, states, check, sql, field }): Promise<Violation[]> => {
      for (const state of states) {
        const environment = environmentOf(state);
        const [reason] = (environment && (await kindOf(environment).checkQueries?.(environment, [sql]))) ?? [];
        if (environment === undefined || reason === undefined) continue;
        const message = `the SQL of '${check}' cannot run on the tables of '${environment.name}': ${reason}.`;
        return [{ column, path: columnPath(column, ...field), ...runError('invalid_query', message, 'Correct it.') }];
      }
      return [];
    }),
  );
  return found.flat();
}
