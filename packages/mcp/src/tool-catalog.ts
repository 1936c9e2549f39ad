import { DataDesignerError, nearest, type PlannedTools, type ToolSchema } from '@data-designer/core';
import { type AcceptArguments, isSchema, typesOf } from '@data-designer/json-schema';
import { argumentCheck } from './check-arguments.ts';
import { NOTHING } from './tool-listing.ts';
import { legalNames } from './tool-names.ts';

/** A tool that may be called: who runs it, and what its arguments must be. */
export class OfferedTool {
  readonly provider: string;
  /** As its provider calls it. */
  readonly name: string;
  readonly #schema: ToolSchema;
  readonly #isUsable: boolean;
  #check: AcceptArguments | undefined;
  #isCompiled = false;

  constructor(provider: string, schema: ToolSchema) {
    this.provider = provider;
    this.name = schema.function.name;
    this.#isUsable = takesObject(schema.function.parameters);
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
    if (name === this.name) return this.#schema;
    return { ...this.#schema, function: { ...this.#schema.function, name } };
  }
}

/** Whether a schema is one of an object, as arguments are; model APIs refuse any other. */
function takesObject(parameters: unknown): boolean {
  return isSchema(parameters) && (parameters.type === undefined || typesOf(parameters).includes('object'));
}

/** The tools of one tool alias: what the model is told, and who runs each. */
export interface ToolCatalog {
  readonly schemas: readonly ToolSchema[];
  /** By the names that models use. */
  readonly tools: ReadonlyMap<string, OfferedTool>;
  /** The same names of tools that are offered but not allowed. */
  readonly hidden: ReadonlySet<string>;
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
  const kept = entries.filter(([, { name }]) => allowed?.has(name) ?? true);
  const tools = new Map(kept);
  return {
    schemas: kept.map(([name, tool]) => tool.toldAs(name)),
    tools,
    hidden: new Set(entries.flatMap(([name]) => (tools.has(name) ? [] : [name]))),
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
