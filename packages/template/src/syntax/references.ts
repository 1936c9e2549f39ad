import { childrenOf } from './tree-walk.ts';
import { ScopeNames } from './scope-names.ts';
import type { Node, Signature, Statement, Target } from './tree.ts';

/** The names that a template asks of its record, in the order they are met; the template's globals are among them. */
export function referencedNames(statements: readonly Statement[]): readonly string[] {
  const walk = new Walk();
  walk.template(statements);
  return [...walk.asked];
}

/** The names that a target stores. */
export function targetNames(target: Target): readonly string[] {
  if (target.kind === 'targets') return target.items.flatMap(targetNames);
  return target.kind === 'name' ? [target.name] : [];
}

type Nodes = readonly (Node | undefined)[];

/** Goes through a tree scope by scope; what opens a scope is walked when the names of the scope around it are settled. */
class Walk {
  readonly asked = new Set<string>();
  #inner: (() => void)[] = [];

  template(nodes: Nodes): void {
    const scope = new ScopeNames();
    scope.declare('self');
    this.#whole(nodes, scope);
  }

  visit(nodes: Nodes, scope: ScopeNames): void {
    for (const node of nodes) {
      if (node === undefined) continue;
      const special = VISITS[node.kind] as ((node: Node, scope: ScopeNames, walk: Walk) => void) | undefined;
      if (special === undefined) this.visit(childrenOf(node), scope);
      else special(node, scope, this);
    }
  }

  /** Leaves nodes that have a scope of their own for later. */
  open(nodes: Nodes, scope: ScopeNames, declared: readonly string[] = []): void {
    this.later(() => {
      const fresh = new ScopeNames(scope);
      for (const name of declared) fresh.declare(name);
      this.#whole(nodes, fresh);
    });
  }

  later(run: () => void): void {
    this.#inner.push(run);
  }

  #whole(nodes: Nodes, scope: ScopeNames): void {
    const around = this.#inner;
    this.#inner = [];
    this.visit(nodes, scope);
    for (const name of scope.outside()) this.asked.add(name);
    for (const run of this.#inner) run();
    this.#inner = around;
  }
}

type Visits = {
  readonly [Kind in Node['kind']]?: (node: Extract<Node, { kind: Kind }>, scope: ScopeNames, walk: Walk) => void;
};

/** The nodes that store names or open scopes; the others are their children. */
const VISITS: Visits = {
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
