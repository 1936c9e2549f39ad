import { DataDesignerError, type PlannedTools, type ToolSchema } from '@data-designer/core';

/** The tools of one tool alias: what the model is told, and who runs each. */
export interface ToolCatalog {
  readonly schemas: readonly ToolSchema[];
  readonly providerOf: ReadonlyMap<string, string>;
}

/** What one provider offers, in its own order. */
export interface ProviderTools {
  readonly provider: string;
  readonly tools: readonly ToolSchema[];
}

/**
 * Joins the tools of several providers, in their order. Throws `tool/duplicate` for a name that is offered twice, even
 * if the allow-list hides it, and `tool/unknown` for allowed names that nobody offers.
 */
export function catalogOf(config: PlannedTools, offers: readonly ProviderTools[]): ToolCatalog {
  const offered = offers.flatMap(({ provider, tools }) => tools.map((schema) => ({ provider, schema })));
  refuseDuplicates(config.alias, offered);
  refuseMissing(config, offered);
  const allowed = config.allowTools === null ? undefined : new Set(config.allowTools);
  const kept = offered.filter(({ schema }) => allowed?.has(schema.function.name) ?? true);
  return {
    schemas: kept.map(({ schema }) => schema),
    providerOf: new Map(kept.map(({ provider, schema }) => [schema.function.name, provider])),
  };
}

interface Offer {
  readonly provider: string;
  readonly schema: ToolSchema;
}

function refuseDuplicates(alias: string, offered: readonly Offer[]): void {
  const first = new Map<string, string>();
  for (const { provider, schema } of offered) {
    const tool = schema.function.name;
    const other = first.get(tool);
    if (other !== undefined)
      throw new DataDesignerError('tool/duplicate', { alias, tool, providers: [other, provider] });
    first.set(tool, provider);
  }
}

function refuseMissing({ alias, allowTools, providers }: PlannedTools, offered: readonly Offer[]): void {
  const names = new Set(offered.map(({ schema }) => schema.function.name));
  const tools = (allowTools ?? []).filter((name) => !names.has(name));
  if (tools.length > 0) throw new DataDesignerError('tool/unknown', { alias, tools, providers });
}
