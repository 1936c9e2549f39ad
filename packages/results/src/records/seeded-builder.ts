import { checkOptions, optionRule, type OptionRules } from '@data-designer/config';
import { DataDesignerError, type Plan } from '@data-designer/core';
import type { ArrowTable } from '@data-designer/dataset';
import type { DataDesignerConfigBuilder } from '@data-designer/declaration';

/** The options to continue with rows in a new config. */
export interface ConfigBuilderOptions<Name extends string = string> {
  /** The columns that become seed columns; default: all. */
  readonly columns?: readonly Name[];
}

/** The models and tool configs of a config, in either spelling. */
export type DeclaredAliases =
  | { readonly modelConfigs: unknown; readonly toolConfigs: unknown }
  | { readonly model_configs: unknown; readonly tool_configs: unknown };

/** Rows in memory, and the config that they were made with. */
interface SeedParts {
  /** The name of the rows in messages. */
  readonly source: string;
  readonly plan: Plan;
  readonly table: () => ArrowTable | Promise<ArrowTable>;
  readonly declared: () => DeclaredAliases | Promise<DeclaredAliases>;
}

const RULES: OptionRules<ConfigBuilderOptions> = { columns: optionRule.list };

/** Starts a config with the models and tools of another and with rows as its seed. Throws `dataset/no-column`. */
export async function seededBuilder<Row extends object>(
  options: ConfigBuilderOptions,
  { source, plan, table, declared }: SeedParts,
): Promise<DataDesignerConfigBuilder<Row>> {
  checkOptions(options, RULES, 'toConfigBuilder()');
  const known = plan.fields.map(({ name }) => name);
  const { columns = known } = options;
  const unknown = columns.find((column) => !known.includes(column));
  if (unknown !== undefined) throw new DataDesignerError('dataset/no-column', { path: source, column: unknown, known });
  const { DataDesignerConfigBuilder: Builder } = await import('@data-designer/declaration/config-builder');
  const builder = await Builder.fromConfig({ columns: [], ...(await declared()) });
  const rows = (await table()).select([...columns]);
  return new Builder({
    modelConfigs: builder.modelConfigs,
    toolConfigs: builder.toolConfigs,
  }).withSeedDataset<Row>({ seedType: 'df', rows });
}
