import { DataDesignerError, type Fields, nearest, type PlannedTools, type ToolSchema } from '@data-designer/core';
import { argumentCheck, type ArgumentCheck } from './check-arguments.ts';
import { withRealNames } from './property-names.ts';
import { NOTHING, takesObject } from './tool-listing.ts';
import { legalNames } from './tool-names.ts';

/** A tool that may be called: its provider, and the check of its arguments. */
export class OfferedTool {
  readonly provider: string;
  /** The provider's name of the tool. */
  readonly name: string;
  /** The name with the prefix of its provider, from which the name for models is made. */
  readonly fullName: string;
  /** The prefix of its provider; empty if it has none. */
  readonly prefix: string;
  /** Why requests leave the tool out; undefined if they do not. */
  readonly dropped: string | undefined;
  readonly #schema: ToolSchema;
  readonly #isUsable: boolean;
  #check: ArgumentCheck | undefined;
  #isCompiled = false;

  constructor(provider: string, schema: ToolSchema) {
    this.provider = provider;
    this.name = schema.function.name;
    this.prefix = schema.prefix ?? '';
    this.fullName = `${this.prefix}${this.name}`;
    this.#isUsable = takesObject(schema.function.parameters);
    this.dropped = schema.sent && 'dropped' in schema.sent ? schema.sent.dropped : undefined;
    this.#schema = this.#isUsable ? schema : { ...schema, function: { ...schema.function, parameters: NOTHING } };
  }

  /** Checks arguments against the schema; compiled on first use, undefined if the schema cannot be used. */
  get check(): ArgumentCheck | undefined {
    if (!this.#isCompiled && this.#isUsable) this.#check = argumentCheck(this.#schema.function.parameters);
    this.#isCompiled = true;
    return this.#check;
  }

  /** Arguments with the server's names of the properties that the schema for models renames. */
  withRealNames(args: Fields): Fields {
    return this.#isUsable ? withRealNames(args, this.#schema.function.parameters) : args;
  }

  /** The same tool, left out of requests for a reason. */
  leftOut(dropped: string): OfferedTool {
    return new OfferedTool(this.provider, { ...this.#schema, sent: { dropped } });
  }

  /** The tool as requests describe it, under the name for models. */
  toldAs(name: string): ToolSchema {
    const { sent, prefix, ...schema } = this.#schema;
    const simpler = sent && 'parameters' in sent ? sent : {};
    if (name === this.name && !sent && prefix === undefined) return this.#schema;
    return { ...schema, function: { ...schema.function, ...simpler, name } };
  }
}

/** The tools of one tool alias, for requests and for calls. */
export interface ToolCatalog {
  readonly schemas: readonly ToolSchema[];
  /** By the names that models use. */
  readonly tools: ReadonlyMap<string, OfferedTool>;
  /** Tools that a provider offers but `allow_tools` hides, by the names that models would use. */
  readonly hidden: ReadonlyMap<string, OfferedTool>;
  /** Allowed tools that requests must leave out. */
  readonly dropped: readonly OfferedTool[];
}

/** The tools that a question of a column allows, by their names. */
export interface ToolChoice {
  readonly column: string;
  readonly tools: readonly string[];
}

/** The tools of one provider, in its order. */
export interface ProviderTools {
  readonly provider: string;
  readonly tools: readonly ToolSchema[];
}

/**
 * Joins the tools of several providers, in their order. Throws `tool/duplicate` for names that are offered twice, even
 * if the allow-list hides them, and `tool/unknown` for allowed names that nobody offers.
 */
export function catalogOf(config: PlannedTools, offers: readonly ProviderTools[]): ToolCatalog {
  const listed = offers.flatMap(({ provider, tools }) => tools.map((schema) => new OfferedTool(provider, schema)));
  const { offered, shadowed } = firstOfEachName(listed);
  refuseDuplicates(config.alias, offered);
  refuseMissing(config, offered);
  const told = legalNames(offered.map(({ fullName }) => fullName));
  const allowed = config.allowTools === null ? undefined : new Set(config.allowTools);
  const entries = offered.map((tool) => [told.get(tool.fullName) ?? tool.fullName, tool] as const);
  const wanted = entries.filter(
    ([, { name, fullName }]) => allowed === undefined || allowed.has(name) || allowed.has(fullName),
  );
  const kept = wanted.filter(([, { dropped }]) => dropped === undefined);
  const tools = new Map(kept);
  return {
    schemas: kept.map(([name, tool]) => tool.toldAs(name)),
    tools,
    hidden: new Map(entries.filter(([name]) => !tools.has(name))),
    dropped: [...wanted.flatMap(([, tool]) => (tool.dropped === undefined ? [] : [tool])), ...shadowed],
  };
}

/** The first tool of each name that a provider lists, and those after it, which nobody can call. */
function firstOfEachName(listed: readonly OfferedTool[]): Record<'offered' | 'shadowed', readonly OfferedTool[]> {
  const names = new Set<string>();
  const offered = listed.filter(({ provider, name }) => {
    const key = JSON.stringify([provider, name]);
    const isFirst = !names.has(key);
    names.add(key);
    return isFirst;
  });
  const first = new Set(offered);
  const shadowed = listed.filter((tool) => !first.has(tool)).map((tool) => tool.leftOut(SHADOWED));
  return { offered, shadowed };
}

const SHADOWED = 'its server lists another tool of this name before it, with other arguments; models get that one';

function refuseDuplicates(alias: string, offered: readonly OfferedTool[]): void {
  const usable = offered.filter(({ dropped }) => dropped === undefined);
  const byName = Map.groupBy(usable, ({ fullName }) => fullName);
  const repeated = [...byName].filter(([, same]) => same.length > 1);
  const [first, ...others] = repeated.map(([tool, same]) => ({
    tool,
    providers: same.map(({ provider }) => provider),
  }));
  if (first) throw new DataDesignerError('tool/duplicate', { alias, ...first, others });
}

function refuseMissing({ alias, allowTools, providers }: PlannedTools, offered: readonly OfferedTool[]): void {
  const names = new Set(offered.flatMap(({ name, fullName }) => [name, fullName]));
  const tools = (allowTools ?? []).filter((name) => !names.has(name));
  if (tools.length === 0) return;
  const near = tools.flatMap((tool) => {
    const found = nearest(tool, names);
    return found === undefined ? [] : [[tool, found] as const];
  });
  throw new DataDesignerError('tool/unknown', {
    alias,
    tools,
    providers,
    offered: [...new Set(offered.map(({ fullName }) => fullName))],
    nearest: Object.fromEntries(near),
  });
}
