import { type ArrowField, field, type Requirements } from '@data-designer/core';
import { type Environment, kindOf } from '@data-designer/environments';
import { parseTemplate } from '@data-designer/template';
import { type ColumnFacts, MISSING, named, type NamedReference } from './check/column-facts.ts';
import type { DatasetConfig } from './schemas/dataset-config.ts';
import type { ToolConfig } from './schemas/tool-config.ts';

/** The field that shows the state after a column that uses environments. */
function stateField(column: string): ArrowField {
  return field(`${column}__state`, 'utf8', { json: true });
}

/** The columns with what their environments add: what those read and ask, and the state that they leave. */
export function withEnvironments(
  facts: readonly ColumnFacts[],
  { environments = [], toolConfigs }: Pick<DatasetConfig, 'environments' | 'toolConfigs'>,
): readonly ColumnFacts[] {
  if (environments.length === 0) return facts;
  const byName = new Map(environments.map((one) => [one.name, one]));
  return facts.map((one) => {
    const used = environmentsFor(one.requires.tools, toolConfigs).flatMap((name) => byName.get(name) ?? []);
    // A check reads the tools of a conversation that was made.
    const usesThem = one.requires.models.length > 0 || one.requires.callsTools === true;
    if (used.length === 0 || !usesThem) return one;
    return {
      ...one,
      environments: used.map(({ name }) => name),
      requires: withModels(one.requires, used),
      writes: [...one.writes, stateField(one.column.name)],
      references: [...one.references, ...used.flatMap(referencesOf)],
    };
  });
}

/** The requirements of a column with the models that its environments ask. */
function withModels(requires: Requirements, used: readonly Environment[]): Requirements {
  const asked = used.flatMap((environment) => kindOf(environment).models?.(environment) ?? []);
  const worldModels = [...new Set(asked.map(({ alias }) => alias))].filter((alias) => !requires.models.includes(alias));
  if (worldModels.length === 0) return requires;
  return { ...requires, models: [...requires.models, ...worldModels], worldModels };
}

/** The providers of tool aliases. */
function environmentsFor(aliases: readonly string[], toolConfigs: readonly ToolConfig[]): readonly string[] {
  const providers = aliases.flatMap(
    (alias) => toolConfigs.findLast(({ toolAlias }) => toolAlias === alias)?.providers ?? [],
  );
  return [...new Set(providers)];
}

/** The columns that the world of a row is made from. */
export function referencesOf(environment: Environment): readonly NamedReference[] {
  const kind = kindOf(environment);
  const at = { field: ['toolAlias'], missing: MISSING.prompt };
  const ofTemplates = kind.templates(environment).flatMap(({ source }) => {
    const parsed = parsedTemplate(source);
    return parsed ? named(parsed, at) : [];
  });
  return [...ofTemplates, ...kind.reads(environment).map((name) => ({ name, ...at, optional: false }))];
}

/** A template; undefined for one with a mistake, which is reported where it stands. */
function parsedTemplate(source: string): ReturnType<typeof parseTemplate> | undefined {
  try {
    return parseTemplate(source);
  } catch {
    return undefined;
  }
}
