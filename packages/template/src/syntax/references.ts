import { childrenOf } from './tree-walk.ts';
import { ScopeNames } from './scope-names.ts';
import type { ByKind, Node, Signature, Statement, Target } from './tree.ts';

/** The names that a template reads from its record, in order of appearance; includes global functions. */
export function referencedNames(statements: readonly Statement[]): readonly string[] {
  const walk = new ScopeWalk();
  walk.template(statements);
  return [...walk.names];
}

/** The names that a target stores. */
export function targetNames(target: Target): readonly string[] {
  if (target.kind === 'targets') return target.items.flatMap(targetNames);
  return target.kind === 'name' ? [target.name] : [];
}

type NodeList = readonly (Node | undefined)[];

/** Walks a tree scope by scope: it visits an inner scope after it knows all names of the outer one. */
class ScopeWalk {
  readonly names = new Set<string>();
  #inner: (() => void)[] = [];

  template(nodes: NodeList): void {
    const scope = new ScopeNames();
    scope.declare('self');
    this.#whole(nodes, scope);
  }

  visit(nodes: NodeList, scope: ScopeNames): void {
    for (const node of nodes) {
      if (node !== undefined) this.#visitKind(node.kind, node, scope);
    }
  }

  #visitKind<Kind extends keyof Nodes>(kind: Kind, node: Nodes[Kind], scope: ScopeNames): void {
    const visit = VISITS[kind];
    if (visit === undefined) this.visit(childrenOf(node), scope);
    else visit(node, scope, this);
  }

  /** Defers nodes with a scope of their own. */
  open(nodes: NodeList, scope: ScopeNames, declared: readonly string[] = []): void {
    this.later(() => {
      const fresh = new ScopeNames(scope);
      for (const name of declared) fresh.declare(name);
      this.#whole(nodes, fresh);
    });
  }

  later(run: () => void): void {
    this.#inner.push(run);
  }

  #whole(nodes: NodeList, scope: ScopeNames): void {
    const around = this.#inner;
    this.#inner = [];
    this.visit(nodes, scope);
    for (const name of scope.outside()) this.names.add(name);
    for (const run of this.#inner) run();
    this.#inner = around;
  }
}

type Nodes = ByKind<Node>;

/** Visits of the kinds that store names or open scopes; for the others, the walk visits the children. */
const VISITS: { readonly [Kind in keyof Nodes]?: (node: Nodes[Kind], scope: ScopeNames, walk: ScopeWalk) => void } = {
  name: (node, scope) => scope.load(node.name),
  'namespace-attribute': (node, scope) => scope.load(node.namespace),
  set: (node, scope, walk) => {
    walk.visit([node.value], scope);
    storeTarget(node.target, scope);
  },
  'set-block': (node, scope, walk) => {
    storeTarget(node.target, scope);
    walk.open([node.filter, ...node.body], scope);
  },
  'filter-block': (node, scope, walk) => {
    walk.visit([node.filter], scope);
    walk.open(node.body, scope);
  },
  if: (node, scope, walk) => {
    walk.visit([node.test], scope);
    const branches = [node.body, node.elifs, node.otherwise].map((body) => {
      const branch = scope.branch();
      walk.visit(body, branch);
      return branch;
    });
    scope.join(branches);
  },
  for: (node, scope, walk) => {
    const names = targetNames(node.target);
    walk.visit([node.iterable], scope);
    walk.open(node.body, scope, [...names, 'loop']);
    walk.open(node.otherwise, scope);
    walk.open([node.test], scope, names);
  },
  with: (node, scope, walk) => {
    walk.visit(node.values, scope);
    walk.open(node.body, scope, node.targets.flatMap(targetNames));
  },
  scope: (node, scope, walk) => walk.open(node.body, scope),
  macro: (node, scope, walk) => {
    scope.store(node.name);
    walk.open([...node.signature.defaults, ...node.body], scope, macroNames(node.signature));
  },
  'call-block': (node, scope, walk) => {
    walk.visit([node.call], scope);
    walk.open([...node.signature.defaults, ...node.body], scope, macroNames(node.signature));
  },
  block: (node, _scope, walk) => walk.later(() => walk.template(node.body)),
  import: (node, scope, walk) => {
    walk.visit([node.template], scope);
    for (const name of node.names) scope.store(name);
  },
};

function storeTarget(target: Target, scope: ScopeNames): void {
  if (target.kind === 'namespace-attribute') scope.load(target.namespace);
  for (const name of targetNames(target)) scope.store(name);
}

function macroNames(signature: Signature): readonly string[] {
  return [...signature.parameters.map(({ name }) => name), 'caller', 'varargs', 'kwargs'];
}
