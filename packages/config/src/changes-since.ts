import {
  isSecretName,
  itemsOf,
  printNames,
  secretsInAddress,
  stringifyJson,
  type Violation,
} from '@data-designer/core';
import { canonicalJson } from './canonical-json.ts';
import type { ColumnRegistry } from './column-registry.ts';
import { identifiedParts } from './fingerprint.ts';
import type { ParsedDataset } from './parse-dataset.ts';
import { camelCase, isMapping, type Mapping, partOf } from './spelling.ts';
import { writeDataset, type WrittenDataset } from './write-dataset.ts';

/** A value that differs between two declarations; undefined where one of them lacks it. */
export interface ChangedValue {
  readonly path: readonly PropertyKey[];
  readonly before: unknown;
  readonly after: unknown;
}

/** The lists of a declaration with the key that names their members. */
const LISTS = {
  columns: 'name',
  model_configs: 'alias',
  tool_configs: 'tool_alias',
  processors: 'name',
} as const;

type List = keyof typeof LISTS;

/** The differences between a written declaration that a dataset was begun with and this one that change its rows. */
export function changesSince(written: unknown, parsed: ParsedDataset, registry: ColumnRegistry): readonly Violation[] {
  const { config } = parsed;
  const inner = partOf(written, 'data_designer');
  if (!isMapping(inner)) return [];
  const before = identifiedParts(writtenIn(inner), config, registry);
  const after = identifiedParts(writeDataset(config, registry), config, registry);
  const others = (parts: Mapping) =>
    Object.fromEntries(Object.entries(parts).filter(([key]) => !Object.hasOwn(LISTS, key)));
  return [
    ...(Object.keys(LISTS) as List[]).flatMap((list) => listChanges(list, [before[list], after[list]], parsed)),
    ...changedValues(others(before), others(after)).map((change) => {
      const steps = change.path.map((step) => (typeof step === 'string' ? camelCase(step) : step));
      return changeAt(parsed.pathOf(...steps), describeChange(change));
    }),
  ];
}

/** A declaration as `builder_config.json` has it; lists that are missing are empty. */
function writtenIn(inner: Mapping): WrittenDataset {
  const mappings = (key: string) => itemsOf(inner[key]).filter(isMapping);
  const { seed_config: seed, select } = inner;
  return {
    columns: mappings('columns'),
    model_configs: mappings('model_configs'),
    tool_configs: mappings('tool_configs'),
    seed_config: isMapping(seed) ? seed : null,
    constraints: mappings('constraints'),
    profilers: null,
    processors: mappings('processors'),
    ...(itemsOf(inner.environments).length > 0 && { environments: mappings('environments') }),
    ...(itemsOf(inner.attempts).length > 0 && { attempts: mappings('attempts') }),
    ...(isMapping(select) ? { select } : {}),
  };
}

const MEMBERS: Readonly<Record<List, string>> = {
  columns: 'column',
  model_configs: 'model',
  tool_configs: 'tool config',
  processors: 'processor',
};

/** The changes of a list whose members have names. */
function listChanges(list: List, lists: readonly [unknown, unknown], parsed: ParsedDataset): Violation[] {
  const [before, after] = lists.map(
    (one) => new Map(itemsOf(one).map((item) => [String(partOf(item, LISTS[list])), item])),
  ) as [Map<string, unknown>, Map<string, unknown>];
  const member = MEMBERS[list];
  const changed = [...after].flatMap(([name, item]): Violation[] => {
    const at = (path: ChangedValue['path']) => memberPath(list, { name, path }, parsed);
    const column = list === 'columns' ? { column: name } : {};
    if (!before.has(name))
      return [{ ...column, ...changeAt(at([]), `the dataset was started without the ${member} '${name}'.`) }];
    return changedValues(before.get(name), item).map((change) => ({
      ...column,
      ...changeAt(at(change.path), `${member} '${name}': ${describeChange(change)}`),
    }));
  });
  const removed = [...before.keys()].filter((name) => !after.has(name));
  const listPath = parsed.pathOf(camelCase(list));
  const gone = removed.map((name) =>
    changeAt(listPath, `the dataset was started with the ${member} '${name}', which is missing now.`),
  );
  if (changed.length > 0 || gone.length > 0) return [...changed, ...gone];
  const order = [...before.keys()];
  if ([...after.keys()].every((name, index) => name === order[index])) return [];
  const names = [...after.keys()];
  const at = names.findIndex((name, index) => name !== order[index]);
  const message = `the ${member}s are in another order: number ${at + 1} was '${order[at]}', and is now '${names[at]}'.`;
  return [changeAt(listPath, message)];
}

/** The path of a part of a list member in the document. */
function memberPath(
  list: List,
  { name, path }: { readonly name: string; readonly path: ChangedValue['path'] },
  { declared, pathOf, columnPath }: ParsedDataset,
): string {
  const key = camelCase(list) as 'columns' | 'modelConfigs' | 'toolConfigs' | 'processors';
  const index = itemsOf(declared[key]).findLastIndex((item) => partOf(item, camelCase(LISTS[list])) === name);
  let here: unknown = declared[key][index];
  const steps = path.map((step) => {
    // Keys of data keep their spelling.
    const own = typeof step === 'string' && partOf(here, step) === undefined ? camelCase(step) : step;
    here = partOf(here, own);
    return own;
  });
  return list === 'columns' ? columnPath(name, ...steps) : pathOf(key, Math.max(index, 0), ...steps);
}

function changeAt(path: string, message: string): Violation {
  const remedy = 'Undo this change, or start a new dataset.';
  return { stage: 'run', type: 'changed', level: 'ERROR', path, message, remedy };
}

/** The innermost values that differ between two values. */
export function changedValues(before: unknown, after: unknown, path: ChangedValue['path'] = []): ChangedValue[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  if (isMapping(before) && isMapping(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => changedValues(before[key], after[key], [...path, key]));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length && !isLeaf(before, after)) {
    return before.flatMap((item, index) => changedValues(item, after[index], [...path, index]));
  }
  return [{ path, before, after }];
}

/** Whether a list is told as a whole: its values are in another order, or several of its plain values differ. */
function isLeaf(before: readonly unknown[], after: readonly unknown[]): boolean {
  if (isReordered(before, after)) return true;
  const differing = before.filter((item, index) => canonicalJson(item) !== canonicalJson(after[index]));
  return differing.length > 1 && [...before, ...after].every((item) => typeof item !== 'object' || item === null);
}

/** The values of a list that another one lacks; a value that occurs twice there may occur twice here. */
function without(list: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  const left = new Map<string, number>();
  for (const item of others) left.set(canonicalJson(item), (left.get(canonicalJson(item)) ?? 0) + 1);
  return list.filter((item) => {
    const count = left.get(canonicalJson(item)) ?? 0;
    left.set(canonicalJson(item), count - 1);
    return count <= 0;
  });
}

function isReordered(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length === after.length && without(before, after).length === 0;
}

/** Says how a list of plain values, or of the same values, has changed; undefined for other lists. */
function describeList(before: readonly unknown[], after: readonly unknown[]): string | undefined {
  if (isReordered(before, after)) {
    const at = before.findIndex((item, index) => canonicalJson(item) !== canonicalJson(after[index]));
    return `its ${before.length} values are in another order: number ${at + 1} was ${shownMember(before[at])} when the dataset was started, and is now ${shownMember(after[at])}.`;
  }
  if ([...before, ...after].some((item) => typeof item === 'object' && item !== null)) return undefined;
  const [added, removed] = [without(after, before), without(before, after)];
  const parts = [
    ...(added.length > 0 ? [`${members(added)} ${added.length === 1 ? 'was' : 'were'} added`] : []),
    ...(removed.length > 0 ? [`${members(removed)} ${removed.length === 1 ? 'was' : 'were'} removed`] : []),
  ];
  return `it had ${before.length} ${before.length === 1 ? 'value' : 'values'} when the dataset was started, and has ${after.length} now: ${parts.join(', ')}.`;
}

/** The first values that differ are named, the others counted. */
const MOST_MEMBERS = 3;

function members(values: readonly unknown[]): string {
  return printNames(values.map(shownMember), MOST_MEMBERS);
}

function shownMember(value: unknown): string {
  return shown(value, cut(printable(value), 0));
}

/** Says from what to what a value has changed. Long values are cut around the difference, and secrets are not shown. */
export function describeChange({ path, before, after }: ChangedValue): string {
  const [first, second] = [before, after].map((value) => withoutSecrets(value, path.at(-1)));
  const isChanged = canonicalJson(first) !== canonicalJson(second);
  const list = isChanged && Array.isArray(first) && Array.isArray(second) ? describeList(first, second) : undefined;
  if (list !== undefined) return list;
  const [was, is] = [before, after].map((value) => printable(withoutSecrets(value, path.at(-1)))) as [string, string];
  if (was === is) return 'its value has changed; it may be a secret and is not shown.';
  const at = firstDifference(was, is);
  return `it was ${shown(before, cut(was, at))} when the dataset was started, and is now ${shown(after, cut(is, at))}.`;
}

function printable(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('\n', String.raw`\n`);
  return value === undefined ? '' : stringifyJson(value);
}

function shown(value: unknown, text: string): string {
  if (value === undefined || value === null) return 'not set';
  return typeof value === 'string' ? `'${text}'` : text;
}

/** The value with secrets replaced: text under a key with a secret's name, and addresses that hold one. */
function withoutSecrets(value: unknown, key: PropertyKey | undefined): unknown {
  if (typeof value === 'string') {
    const isSecret = typeof key === 'string' && isSecretName(key);
    return isSecret || secretsInAddress(value).some((secret) => secret !== '') ? '(hidden)' : value;
  }
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, key));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutSecrets(part, name)]));
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** The longest shown value, and how much of it stands before the difference. */
const MAX_SHOWN = 60;
const BEFORE = 20;

function cut(text: string, at: number): string {
  if (text.length <= MAX_SHOWN) return text;
  const start = at < MAX_SHOWN - BEFORE ? 0 : at - BEFORE;
  const end = start + MAX_SHOWN;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}
