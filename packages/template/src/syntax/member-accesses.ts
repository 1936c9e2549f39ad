import { targetNames } from './references.ts';
import { childrenOf } from './tree-walk.ts';
import type { ByKind, Constant, Expression, Node, Statement } from './tree.ts';

/** One step of an access: `.name`, or `[key]` with a literal key. */
export interface AccessStep {
  readonly key: Constant;
  readonly isAttribute: boolean;
}

/** An access to a member of a column, such as `a.b[0]`. */
export interface MemberAccess {
  readonly column: string;
  readonly steps: readonly AccessStep[];
  /** Whether every render evaluates it. */
  readonly isAlways: boolean;
  /** Whether the template allows for a missing value of the last step, as `is defined` and `or` do. */
  readonly isOptional: boolean;
  /** Whether a missing value ends the render: it is called or computed with, or the template prints nothing else. */
  readonly isNeeded: boolean;
}

type Position = Pick<MemberAccess, 'isAlways' | 'isOptional' | 'isNeeded'> & {
  /** The columns whose members a condition around the position tests. */
  readonly guarded: ReadonlySet<string>;
};

const START: Position = { isAlways: true, isOptional: false, isNeeded: false, guarded: new Set() };

/**
 * The accesses to members of columns. Leaves out names that the template itself assigns anywhere, and members of a column
 * on a branch whose condition tests members of that column.
 */
export function memberAccesses(tree: readonly Statement[]): readonly MemberAccess[] {
  const walk = new AccessWalk(new Set([...OWN_NAMES, ...assignedNames(tree)]));
  const isNeeded = printsOneValue(tree);
  for (const statement of tree) walk.visit(statement, { ...START, isNeeded });
  return walk.found;
}

const OWN_NAMES = ['self', 'loop', 'caller', 'varargs', 'kwargs'];

function assignedNames(nodes: readonly Node[]): readonly string[] {
  return nodes.flatMap((node) => [...assignedBy(node), ...assignedNames(childrenOf(node))]);
}

function assignedBy(node: Node): readonly string[] {
  if (node.kind === 'for' || node.kind === 'set' || node.kind === 'set-block') return targetNames(node.target);
  if (node.kind === 'with') return node.targets.flatMap(targetNames);
  if (node.kind === 'import') return node.names;
  if (node.kind === 'call-block') return node.signature.parameters.map(({ name }) => name);
  return node.kind === 'macro' ? [node.name, ...node.signature.parameters.map(({ name }) => name)] : [];
}

/** Whether the output is the text of one value: a render without output fails. */
function printsOneValue(tree: readonly Statement[]): boolean {
  return printedParts(tree).length === 1;
}

/** The parts of a template without white space. */
function printedParts(tree: readonly Statement[]): readonly Node[] {
  const parts = tree.flatMap((one): readonly Node[] => (one.kind === 'output' ? one.parts : [one]));
  return parts.filter((part) => part.kind !== 'data' || part.text.trim() !== '');
}

type Nodes = ByKind<Node>;
type Visit<Kind extends keyof Nodes> = (node: Nodes[Kind], at: Position, walk: AccessWalk) => void;

class AccessWalk {
  readonly found: MemberAccess[] = [];
  readonly #assigned: ReadonlySet<string>;

  constructor(assigned: ReadonlySet<string>) {
    this.#assigned = assigned;
  }

  visit(node: Node | undefined, at: Position): void {
    if (node === undefined) return;
    const chain = chainOf(node);
    if (chain === undefined) this.#visitKind(node.kind, node, at);
    else if (chain.steps.length > 0 && !this.#assigned.has(chain.column) && !at.guarded.has(chain.column)) {
      const { isAlways, isOptional, isNeeded } = at;
      this.found.push({ ...chain, isAlways, isOptional, isNeeded });
    }
  }

  visitAll(nodes: readonly (Node | undefined)[], at: Position): void {
    for (const node of nodes) this.visit(node, at);
  }

  #visitKind<Kind extends keyof Nodes>(kind: Kind, node: Nodes[Kind], at: Position): void {
    const visit: Visit<Kind> = VISITS[kind] ?? visitPlainly;
    visit(node, at, this);
  }
}

const plain = (at: Position): Position => ({ ...at, isOptional: false, isNeeded: false });
const needed = (at: Position): Position => ({ ...at, isOptional: false, isNeeded: true });
const optional = (at: Position): Position => ({ ...at, isOptional: true, isNeeded: false });
const sometimes = (at: Position, ...tests: readonly (Expression | undefined)[]): Position => ({
  ...plain(at),
  isAlways: false,
  guarded: new Set([...at.guarded, ...tests.flatMap((test) => (test === undefined ? [] : testedColumns(test)))]),
});

const visitPlainly = (node: Node, at: Position, walk: AccessWalk): void => walk.visitAll(childrenOf(node), plain(at));
const visitComputing = (node: Node, at: Position, walk: AccessWalk): void =>
  walk.visitAll(childrenOf(node), needed(at));
const visitDeferred = (node: Node, at: Position, walk: AccessWalk): void =>
  walk.visitAll(childrenOf(node), sometimes(at));

const visitLogical: Visit<'and' | 'or'> = ({ left, right }, at, walk) => {
  walk.visit(left, optional(at));
  walk.visit(right, sometimes(at, left));
};

/** The filters that replace a missing value. */
const REPLACING: ReadonlySet<string> = new Set(['default', 'd']);

const VISITS: { readonly [Kind in keyof Nodes]?: Visit<Kind> } = {
  output: ({ parts }, at, walk) => walk.visitAll(parts, at),
  filter: ({ input, name, given }, at, walk) => {
    walk.visit(input, REPLACING.has(name) ? optional(at) : at);
    walk.visitAll([...given.positional, ...given.keywords, given.spread, given.keywordSpread], plain(at));
  },
  test: ({ input, given }, at, walk) => {
    walk.visit(input, optional(at));
    walk.visitAll([...given.positional, ...given.keywords], plain(at));
  },
  not: ({ operand }, at, walk) => walk.visit(operand, optional(at)),
  and: visitLogical,
  or: visitLogical,
  conditional: ({ test, yes, no }, at, walk) => {
    walk.visit(test, optional(at));
    walk.visitAll([yes, no], sometimes(at, test));
  },
  if: ({ test, body, elifs, otherwise }, at, walk) => {
    walk.visit(test, optional(at));
    walk.visitAll([...body, ...elifs, ...otherwise], sometimes(at, test));
  },
  call: ({ callee, given }, at, walk) => {
    walk.visit(callee, needed(at));
    walk.visitAll([...given.positional, ...given.keywords, given.spread, given.keywordSpread], plain(at));
  },
  item: ({ of, key }, at, walk) => {
    walk.visit(of, needed(at));
    walk.visit(key, plain(at));
  },
  attribute: ({ of }, at, walk) => walk.visit(of, needed(at)),
  binary: visitComputing,
  unary: visitComputing,
  for: ({ iterable, test, body, otherwise }, at, walk) => {
    walk.visit(iterable, plain(at));
    walk.visitAll([test, ...body, ...otherwise], sometimes(at, test));
  },
  macro: visitDeferred,
  'call-block': visitDeferred,
  block: visitDeferred,
};

/** The access that is all that a template prints, as in `{{ a.b[0] }}`; undefined for any other template. */
export function soleAccess(tree: readonly Statement[]): Pick<MemberAccess, 'column' | 'steps'> | undefined {
  const [only, ...others] = printedParts(tree);
  return only === undefined || others.length > 0 ? undefined : chainOf(only);
}

/** The columns of which an expression reads a member, tests with `is`, or searches with `in`. */
function testedColumns(node: Node): readonly string[] {
  const chain = chainOf(node);
  if (chain !== undefined) return chain.steps.length > 0 ? [chain.column] : [];
  const children = childrenOf(node);
  const whole = node.kind === 'test' || node.kind === 'compare' ? children.flatMap(namesIn) : [];
  return [...whole, ...children.flatMap(testedColumns)];
}

function namesIn(node: Node): readonly string[] {
  return node.kind === 'name' ? [node.name] : childrenOf(node).flatMap(namesIn);
}

/** The column and the steps of an access with literal keys; undefined for another node. */
export function chainOf(node: Node): Pick<MemberAccess, 'column' | 'steps'> | undefined {
  if (node.kind === 'name') return { column: node.name, steps: [] };
  const step = stepOf(node);
  const before = step === undefined ? undefined : chainOf(step.of);
  if (step === undefined || before === undefined) return undefined;
  return { ...before, steps: [...before.steps, { key: step.key, isAttribute: step.isAttribute }] };
}

function stepOf(node: Node): (AccessStep & { readonly of: Expression }) | undefined {
  if (node.kind === 'attribute') return { of: node.of, key: node.name, isAttribute: true };
  if (node.kind !== 'item') return undefined;
  const { of, key } = node;
  // Negative literals are a sign and a number.
  if (key.kind === 'unary' && key.operator === '-' && key.operand.kind === 'const') {
    const { value } = key.operand;
    return typeof value === 'number' ? { of, key: -value, isAttribute: false } : undefined;
  }
  return key.kind === 'const' ? { of, key: key.value, isAttribute: false } : undefined;
}
