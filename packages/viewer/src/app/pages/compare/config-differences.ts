import { fieldsOf, isFields, tryParse } from '@data-designer/core/json-fields';
import type { ConfigAnswer } from '../../../api/config.ts';

/** A setting that two configs have differently. */
export interface ConfigDifference {
  /** Where it is, such as `columns.reply.prompt`. */
  readonly path: string;
  /** Undefined where a config has no such setting. */
  readonly left: string | undefined;
  readonly right: string | undefined;
}

/** The settings of a declaration that the plan tells better: with their defaults. */
const PLANNED = ['model_configs'];

/** What differs between two configs: columns, prompts, models, tools, the seed and the number of rows. */
export function configDifferences(left: ConfigAnswer, right: ConfigAnswer): readonly ConfigDifference[] {
  const [ours, theirs] = [settingsOf(left), settingsOf(right)];
  const missing = [...theirs.keys()].filter((path) => !ours.has(path));
  return [...ours.keys(), ...missing].flatMap((path) => {
    const [one, other] = [ours.get(path), theirs.get(path)];
    if (one === undefined || other === undefined) return { path, left: wholeText(one), right: wholeText(other) };
    const paths = new Set([...one.keys(), ...other.keys()]);
    return Array.from(paths).flatMap((part) => {
      const [before, after] = [one.get(part), other.get(part)];
      return before === after ? [] : [{ path: part === '' ? path : `${path}.${part}`, left: before, right: after }];
    });
  });
}

/** The settings of a named thing, such as a column, by their paths within it. */
type Settings = ReadonlyMap<string, string>;

/** A thing that only one config has. */
function wholeText(settings: Settings | undefined): string | undefined {
  if (settings === undefined) return undefined;
  const lines = Array.from(settings, ([part, text]) => (part === '' ? text : `${part}: ${text}`));
  return lines.length === 0 ? '{}' : lines.join('\n');
}

/** The named things of a config by their paths, and its other settings. */
function settingsOf({ declaration, plan }: ConfigAnswer): ReadonlyMap<string, Settings> {
  const settings = new Map<string, Settings>();
  addThings(settings, '', declared(declaration));
  for (const { alias, ...model } of plan.models) settings.set(`models.${alias}`, flat(model));
  const facts = { rows: plan.rows, 'run seed': plan.seed, 'max cost': plan.maxCost };
  for (const [name, fact] of Object.entries(facts)) if (fact !== null) settings.set(name, flat(fact));
  return settings;
}

/** The members of a declaration, which the file holds with facts of the tool or bare. */
function declared(text: string | null): unknown {
  const document = tryParse(text ?? '', JSON.parse) as unknown;
  const config = isFields(document) && isFields(document['data_designer']) ? document['data_designer'] : document;
  return isFields(config) ? Object.fromEntries(Object.entries(config).filter(([key]) => !PLANNED.includes(key))) : {};
}

/** Adds the items of named lists by their names, and other values as they are. */
function addThings(settings: Map<string, Settings>, path: string, value: unknown): void {
  if (value === null || value === undefined) return;
  const under = (key: string): string => (path === '' ? key : `${path}.${key}`);
  const named = namedItems(value);
  if (named) for (const [name, item] of named) settings.set(under(name), flat(item));
  else if (isFields(value) && path === '')
    for (const [key, part] of Object.entries(value)) addThings(settings, under(key), part);
  else settings.set(path, flat(value));
}

/** A value by the paths of its members; null members are as if they were absent. */
function flat(value: unknown): Settings {
  const found = new Map<string, string>();
  const add = (path: string, part: unknown): void => {
    if (part === null || part === undefined) return;
    const members = namedItems(part) ?? (isFields(part) ? Object.entries(part) : undefined);
    if (!members) return void found.set(path, typeof part === 'string' ? part : JSON.stringify(part));
    for (const [key, member] of members) add(path === '' ? key : `${path}.${key}`, member);
  };
  add('', value);
  return found;
}

/** The items of a list by their names, without these; undefined for another value. */
function namedItems(value: unknown): readonly (readonly [name: string, item: unknown])[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items = (value as readonly unknown[]).map((item) => {
    const { name, alias, tool_alias: tool, ...rest } = fieldsOf(item);
    return [name ?? alias ?? tool, rest] as const;
  });
  const isNamed = items.every((item): item is readonly [string, (typeof item)[1]] => typeof item[0] === 'string');
  return isNamed && new Set(items.map(([name]) => name)).size === items.length ? items : undefined;
}
