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

/** Whether a value is valid by the subschema at a pointer. */
export type Accepts = (pointer: string, value: CellValue) => boolean;

/** The pointers of the subschemas for one member or item; none if the schema does not constrain it. */
type Lookup<Key> = (key: Key) => readonly string[];

/** One subschema, apart from the subschemas that it refers to. */
interface Node {
  readonly member: Lookup<string>;
  readonly item: Lookup<number>;
  readonly prunes: boolean;
  readonly places: number | undefined;
  /** Pointers of further subschemas for the same value; they may depend on the value. */
  readonly beside: ((value: CellValue, walk: Walk) => readonly string[]) | undefined;
  /** The node as a list, allocated once. */
  readonly alone: readonly Node[];
}

/** Shared, because most subschemas add nothing. */
const NONE: readonly string[] = [];

/** One walk over an answer; `rounds` if it converts decimals to numbers. */
interface Walk {
  readonly rounds: boolean;
  /** Results by object and subschemas: branches that are tried walk the same parts again. */
  readonly done: Map<object, Map<string, CellValue>>;
  /** The pruning walk that tries branches; undefined in that walk itself. */
  readonly trial: Walk | undefined;
}

function pruningWalk(): Walk {
  return { rounds: false, done: new Map(), trial: undefined };
}

/**
 * Brings answers into the shape of a schema without changing them in place: removes unknown members at any depth, by
 * the `anyOf` or `oneOf` branch for which the value is valid.
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

  /** Removes unknown members; unchanged parts are shared. */
  prune(value: CellValue): CellValue {
    return this.#shape([''], value, pruningWalk());
  }

  /** Converts the decimals of a valid, pruned value, which may be text, to rounded floats; see `decimalPlaces`. */
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

  /** The subschemas at these pointers and all that apply besides. */
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

  /** The branch of a `oneOf` by the answer's tag; without a discriminator, the branch for which it is valid. */
  #tagged(schema: JsonSchema, pointer: string): Node['beside'] {
    const discriminator = discriminatorOf(schema, this.#root);
    if (!discriminator) return this.#branch(schema, pointer, 'oneOf');
    return (value) => {
      const branch = discriminator.branches.get(asSchema(value)[discriminator.property]);
      return branch ? [branch.pointer] : [];
    };
  }

  /** The valid branch that keeps most of the value. */
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

/** The lookups of several nodes combined; a single node's is not copied. */
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
