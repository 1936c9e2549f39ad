import type { Arguments, ByKind, Node } from './tree.ts';

type Children = readonly (Node | undefined)[];

const ofArguments = (given: Arguments): Children => [
  ...given.positional,
  ...given.keywords,
  given.spread,
  given.keywordSpread,
];

type Nodes = ByKind<Node>;

/** The child nodes by kind, as in Jinja2's tree: complexity and every tree walk depend on this table. */
const CHILDREN: { readonly [Kind in keyof Nodes]: (node: Nodes[Kind]) => Children } = {
  const: () => [],
  name: () => [],
  data: () => [],
  'namespace-attribute': () => [],
  targets: (node) => node.items,
  list: (node) => node.items,
  tuple: (node) => node.items,
  dict: (node) => node.pairs,
  pair: (node) => [node.key, node.value],
  attribute: (node) => [node.of],
  item: (node) => [node.of, node.key],
  slice: (node) => [node.start, node.stop, node.step],
  call: (node) => [node.callee, ...ofArguments(node.given)],
  filter: (node) => [node.input, ...ofArguments(node.given)],
  test: (node) => [node.input, ...ofArguments(node.given)],
  keyword: (node) => [node.value],
  binary: (node) => [node.left, node.right],
  unary: (node) => [node.operand],
  not: (node) => [node.operand],
  and: (node) => [node.left, node.right],
  or: (node) => [node.left, node.right],
  compare: (node) => [node.first, ...node.rest],
  operand: (node) => [node.operand],
  concat: (node) => node.parts,
  conditional: (node) => [node.test, node.yes, node.no],
  output: (node) => node.parts,
  if: (node) => [node.test, ...node.body, ...node.elifs, ...node.otherwise],
  for: (node) => [node.target, node.iterable, ...node.body, ...node.otherwise, node.test],
  with: (node) => [...node.targets, ...node.values, ...node.body],
  set: (node) => [node.target, node.value],
  'set-block': (node) => [node.target, node.filter, ...node.body],
  'filter-block': (node) => [...node.body, node.filter],
  scope: (node) => node.body,
  autoescape: (node) => [node.on, ...node.body],
  macro: (node) => [...node.signature.parameters, ...node.signature.defaults, ...node.body],
  'call-block': (node) => [node.call, ...node.signature.parameters, ...node.signature.defaults, ...node.body],
  block: (node) => node.body,
  extends: (node) => [node.template],
  include: (node) => [node.template],
  import: (node) => [node.template],
};

function childrenByKind<Kind extends keyof Nodes>(kind: Kind, node: Nodes[Kind]): Children {
  return CHILDREN[kind](node);
}

/** The child nodes of a node. */
export function childrenOf(node: Node): readonly Node[] {
  return childrenByKind(node.kind, node).filter((child) => child !== undefined);
}

/** The size of a tree: its nodes without the root, and its levels with the root. */
export interface Complexity {
  readonly nodes: number;
  readonly depth: number;
}

/** Measures a tree as Jinja2 counts it, without recursion, so that it can measure a tree of any depth. */
export function complexityOf(statements: readonly Node[]): Complexity {
  let nodes = 0;
  let depth = 1;
  let level = statements;
  while (level.length > 0) {
    depth += 1;
    nodes += level.length;
    level = level.flatMap(childrenOf);
  }
  return { nodes, depth };
}
