import { DataDesignerError, nearest, type PlannedTools, type ToolSchema } from '@data-designer/core';
import type { AcceptArguments } from '@data-designer/json-schema';
import { argumentCheck } from './check-arguments.ts';
import { NOTHING, takesObject } from './tool-listing.ts';
import { legalNames } from './tool-names.ts';

/** A tool that may be called: who runs it, and what its arguments must be. */
export class OfferedTool {
  readonly provider: string;
  /** As its provider calls it. */
  readonly name: string;
  /** Why models are not told of it; undefined where they are. */
  readonly dropped: string | undefined;
  readonly #schema: ToolSchema;
  readonly #isUsable: boolean;
  #check: AcceptArguments | undefined;
  #isCompiled = false;

  constructor(provider: string, schema: ToolSchema) {
    this.provider = provider;
    this.name = schema.function.name;
    this.#isUsable = takesObject(schema.function.parameters);
    this.dropped = schema.sent && 'dropped' in schema.sent ? schema.sent.dropped : undefined;
    this.#schema = this.#isUsable ? schema : { ...schema, function: { ...schema.function, parameters: NOTHING } };
  }

  /** Holds arguments against its schema; compiled on first use, undefined where it cannot be used. */
  get check(): AcceptArguments | undefined {
    if (!this.#isCompiled && this.#isUsable) this.#check = argumentCheck(this.#schema.function.parameters);
    this.#isCompiled = true;
    return this.#check;
  }

  /** What a model is told, under the name that it is to use. */
  toldAs(name: string): ToolSchema {
    const { sent, ...schema } = this.#schema;
    const simpler = sent && 'parameters' in sent ? sent : {};
    if (name === this.name && !sent) return this.#schema;
    return { ...schema, function: { ...schema.function, ...simpler, name } };
  }
}

/** The tools of one tool alias: what the model is told, and who runs each. */
export interface ToolCatalog {
  readonly schemas: readonly ToolSchema[];
  /** By the names that models use. */
  readonly tools: ReadonlyMap<string, OfferedTool>;
  /** The same names of tools that are offered but not allowed. */
  readonly hidden: ReadonlySet<string>;
  /** Allowed tools that models cannot be told of. */
  readonly dropped: readonly OfferedTool[];
}

/** What one provider offers, in its own order. */
export interface ProviderTools {
  readonly provider: string;
  readonly tools: readonly ToolSchema[];
}

/**
 * Joins the tools of several providers, in their order. Throws `tool/duplicate` for names that are offered twice, even
 * if the allow-list hides them, and `tool/unknown` for allowed names that nobody offers.
 */
export function catalogOf(config: PlannedTools, offers: readonly ProviderTools[]): ToolCatalog {
  const offered = offers.flatMap(({ provider, tools }) => tools.map((schema) => new OfferedTool(provider, schema)));
  refuseDuplicates(config.alias, offered);
  const names = offered.map(({ name }) => name);
  refuseMissing(config, names);
  const told = legalNames(names);
  const allowed = config.allowTools === null ? undefined : new Set(config.allowTools);
  const entries = offered.map((tool) => [told.get(tool.name) as string, tool] as const);
  const wanted = entries.filter(([, { name }]) => allowed?.has(name) ?? true);
  const kept = wanted.filter(([, { dropped }]) => dropped === undefined);
  const tools = new Map(kept);
  return {
    schemas: kept.map(([name, tool]) => tool.toldAs(name)),
    tools,
    hidden: new Set(entries.flatMap(([name]) => (tools.has(name) ? [] : [name]))),
    dropped: wanted.flatMap(([, tool]) => (tool.dropped === undefined ? [] : [tool])),
  };
}

function refuseDuplicates(alias: string, offered: readonly OfferedTool[]): void {
  const byName = new Map<string, string[]>();
  for (const { name, provider } of offered) {
    const known = byName.get(name);
    if (known) known.push(provider);
    else byName.set(name, [provider]);
  }
  const repeated = [...byName].flatMap(([tool, providers]) => (providers.length > 1 ? [{ tool, providers }] : []));
  const [first, ...others] = repeated;
  if (first) throw new DataDesignerError('tool/duplicate', { alias, ...first, others });
}

function refuseMissing({ alias, allowTools, providers }: PlannedTools, offered: readonly string[]): void {
  const names = new Set(offered);
  const tools = (allowTools ?? []).filter((name) => !names.has(name));
  if (tools.length === 0) return;
  const near = tools.flatMap((tool) => {
    const found = nearest(tool, names);
    return found === undefined ? [] : [[tool, found] as const];
  });
  throw new DataDesignerError('tool/unknown', { alias, tools, providers, nearest: Object.fromEntries(near) });
}
