import { type CellValue, Float, isList, itemsOf } from '@data-designer/core';
import {
  appendToPointer,
  asSchema,
  isSchema,
  type JsonSchema,
  mapValueSchema,
  patternOf,
  prunesMembers,
  resolveReference,
} from '@data-designer/json-schema';
import { decimalPlaces, mayHoldDecimals, roundedToPlaces } from './decimal.ts';
import type { Members } from '../cell-members.ts';
import { discriminatorOf } from './discriminator.ts';

/** Whether a value is valid by the part of a schema at a pointer. */
export type Accepts = (pointer: string, value: CellValue) => boolean;

/** The pointers of the schemas for one member or item, none if nothing is said of it. */
type Lookup<Key> = (key: Key) => readonly string[];

/** What one schema says of a value, without what it refers to. */
interface Node {
  readonly member: Lookup<string>;
  readonly item: Lookup<number>;
  readonly prunes: boolean;
  readonly places: number | undefined;
  /** Pointers of the schemas that hold for the same value too; for some of them it depends on the value. */
  readonly beside: ((value: CellValue, walk: Walk) => readonly string[]) | undefined;
  /** The node as a list. */
  readonly alone: readonly Node[];
}

/** One list for all, for most schemas have no more to say. */
const NONE: readonly string[] = [];

/** One walk over an answer; `rounds` when decimals are to be made numbers. */
interface Walk {
  readonly rounds: boolean;
  /** What came out for an object or list by some schemas: branches that are tried are walked more than once. */
  readonly done: Map<object, Map<string, CellValue>>;
  /** The walk by which branches are tried, undefined if this is one that only prunes. */
  readonly trial: Walk | undefined;
}

function pruningWalk(): Walk {
  return { rounds: false, done: new Map(), trial: undefined };
}

/**
 * Brings answers into the shape of a schema: members that it does not know are taken out, at any depth, and by the
 * branch of an `anyOf` or `oneOf` that the value is valid for. An answer is never changed in place.
 */
export class AnswerShape {
  readonly #root: JsonSchema;
  readonly #accepts: Accepts;
  readonly #nodes = new Map<string, Node>();
  readonly #hasDecimals: boolean;

  constructor(root: JsonSchema, accepts: Accepts) {
    this.#root = root;
    this.#hasDecimals = mayHoldDecimals(root);
    this.#accepts = accepts;
  }

  /** The value without unknown members; parts that have none are shared. */
  prune(value: CellValue): CellValue {
    return this.#shape([''], value, pruningWalk());
  }

  /** A valid, pruned value with its decimals, which may be text, as floats of so many places; see `decimalPlaces`. */
  round(value: CellValue): CellValue {
    if (!this.#hasDecimals) return value;
    return this.#shape([''], value, { rounds: true, done: new Map(), trial: pruningWalk() });
  }

  #shape(pointers: readonly string[], value: CellValue, walk: Walk): CellValue {
    if (typeof value !== 'object' || value === null || value instanceof Float)
      return this.#shapeScalar(pointers, value, walk);
    const known = walk.done.get(value) ?? new Map<string, CellValue>();
    walk.done.set(value, known);
    const key = pointers.join(' ');
    const done = known.get(key);
    if (done !== undefined) return done;
    const nodes = this.#allNodes(pointers, value, walk);
    const shaped = isList(value) ? this.#shapeItems(nodes, value, walk) : this.#shapeMembers(nodes, value, walk);
    known.set(key, shaped);
    return shaped;
  }

  #shapeScalar(pointers: readonly string[], value: CellValue, walk: Walk): CellValue {
    if (!walk.rounds) return value;
    const places = this.#allNodes(pointers, value, walk).flatMap((node) => node.places ?? []);
    return places[0] === undefined ? value : roundedToPlaces(value, places[0]);
  }

  #shapeItems(nodes: readonly Node[], items: readonly CellValue[], walk: Walk): CellValue {
    let isSame = true;
    const shaped = items.map((item, index) => {
      const part = this.#shape(
        together(nodes, (node) => node.item(index)),
        item,
        walk,
      );
      isSame &&= part === item;
      return part;
    });
    return isSame ? items : shaped;
  }

  #shapeMembers(nodes: readonly Node[], members: Members, walk: Walk): CellValue {
    const prunes = nodes.some((node) => node.prunes);
    const kept: [string, CellValue][] = [];
    let isSame = true;
    for (const name in members) {
      const member = members[name] ?? null;
      const pointers = together(nodes, (node) => node.member(name));
      const isKnown = pointers.length > 0 || !prunes;
      const part = pointers.length > 0 ? this.#shape(pointers, member, walk) : member;
      if (isKnown) kept.push([name, part]);
      isSame &&= isKnown && part === member;
    }
    return isSame ? members : Object.fromEntries(kept);
  }

  /** The schemas at these pointers and all that hold beside them. */
  #allNodes(pointers: readonly string[], value: CellValue, walk: Walk): readonly Node[] {
    const [first, ...others] = pointers.map((pointer) => this.#node(pointer));
    if (first && others.length === 0 && !first.beside) return first.alone;
    return pointers.flatMap((pointer) => {
      const node = this.#node(pointer);
      const beside = node.beside?.(value, walk) ?? NONE;
      return beside.length === 0 ? node.alone : [node, ...this.#allNodes(beside, value, walk)];
    });
  }

  #node(pointer: string): Node {
    const known = this.#nodes.get(pointer);
    if (known) return known;
    const schema = resolveReference(`#${pointer}`, this.#root)?.schema ?? {};
    const places = decimalPlaces(schema);
    const alone: Node[] = [];
    const node = {
      member: memberLookup(schema, pointer),
      item: itemLookup(schema, pointer),
      prunes: prunesMembers(schema),
      places,
      beside: places === undefined ? this.#beside(schema, pointer) : undefined,
      alone,
    };
    alone.push(node);
    this.#nodes.set(pointer, node);
    return node;
  }

  #beside(schema: JsonSchema, pointer: string): Node['beside'] {
    const target = resolveReference(schema['$ref'], this.#root);
    const always = [...(target ? [target.pointer] : []), ...pointersIn(schema, pointer, 'allOf')];
    const picks = [
      this.#tagged(schema, pointer),
      this.#branch(schema, pointer, 'anyOf'),
      this.#condition(schema, pointer),
    ];
    const found = picks.filter((pick) => pick !== undefined);
    if (found.length === 0) return always.length === 0 ? undefined : () => always;
    return (value, walk) => [...always, ...found.flatMap((pick) => pick(value, walk))];
  }

  /** The branch of a `oneOf` that the answer names by its tag, or else that it is valid for. */
  #tagged(schema: JsonSchema, pointer: string): Node['beside'] {
    const discriminator = discriminatorOf(schema, this.#root);
    if (!discriminator) return this.#branch(schema, pointer, 'oneOf');
    return (value) => {
      const branch = discriminator.branches.get(asSchema(value)[discriminator.property]);
      return branch ? [branch.pointer] : [];
    };
  }

  /** Of the branches that a value is valid for, pruned by each, the one that keeps most of it. */
  #branch(schema: JsonSchema, pointer: string, keyword: string): Node['beside'] {
    const branches = pointersIn(schema, pointer, keyword);
    if (branches.length === 0) return undefined;
    return (value, walk) => {
      const trial = walk.trial ?? walk;
      const pruned = branches.map((branch) => ({ branch, value: this.#shape([branch], value, trial) }));
      const valid = pruned.filter((one) => this.#accepts(one.branch, one.value));
      const sizes = valid.length < 2 ? [0] : valid.map((one) => sizeOf(one.value));
      const best = valid[sizes.indexOf(Math.max(...sizes))];
      return best ? [best.branch] : [];
    };
  }

  #condition(schema: JsonSchema, pointer: string): Node['beside'] {
    if (!isSchema(schema['if'])) return undefined;
    const at = (keyword: string) => (isSchema(schema[keyword]) ? [appendToPointer(pointer, keyword)] : []);
    return (value) =>
      this.#accepts(appendToPointer(pointer, 'if'), value) ? [...at('if'), ...at('then')] : at('else');
  }
}

function pointersIn(schema: JsonSchema, pointer: string, keyword: string): readonly string[] {
  const parts = schema[keyword];
  return Array.isArray(parts) ? parts.map((_, index) => appendToPointer(pointer, keyword, index)) : [];
}

/** What some nodes say together; nothing is copied for one alone. */
function together(nodes: readonly Node[], look: (node: Node) => readonly string[]): readonly string[] {
  const [first] = nodes;
  return first && nodes.length === 1 ? look(first) : nodes.flatMap(look);
}

function memberLookup(schema: JsonSchema, pointer: string): Lookup<string> {
  const names = Object.keys(asSchema(schema['properties']));
  const own = new Map(names.map((name) => [name, [appendToPointer(pointer, 'properties', name)]]));
  const patterns = Object.keys(asSchema(schema['patternProperties'])).map((source) => ({
    pattern: patternOf(source),
    at: appendToPointer(pointer, 'patternProperties', source),
  }));
  const rest = mapValueSchema(schema) ? [appendToPointer(pointer, 'additionalProperties')] : NONE;
  if (patterns.length === 0) return (name) => own.get(name) ?? rest;
  return (name) => {
    const matched = patterns.filter(({ pattern }) => pattern.test(name)).map(({ at }) => at);
    const found = [...(own.get(name) ?? NONE), ...matched];
    return found.length > 0 ? found : rest;
  };
}

function itemLookup(schema: JsonSchema, pointer: string): Lookup<number> {
  const { items, prefixItems } = schema;
  const first = Array.isArray(prefixItems) ? 'prefixItems' : 'items';
  const firsts = itemsOf(schema[first]).map((_, index) => [appendToPointer(pointer, first, index)]);
  const rest = isSchema(items) ? [appendToPointer(pointer, 'items')] : NONE;
  return (index) => firsts[index] ?? rest;
}

function sizeOf(value: CellValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  const parts: readonly CellValue[] = Object.values(value);
  return parts.reduce<number>((sum, part) => sum + sizeOf(part), 1);
}
