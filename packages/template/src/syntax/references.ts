import { childrenOf } from './children.ts';
import type { Name, Node, Signature, Statement, Target } from './tree.ts';

/**
 * The names of one scope, tracked as Jinja2's compiler does: a name is asked of the outside when it is read before it
 * is stored, or stored on some branches only. Source: `jinja2/idtracking.py`.
 */
class Scope {
  readonly #parent: Scope | undefined;
  readonly #known: Map<string, 'outside' | 'here'>;
  readonly #stored: Set<string>;

  constructor(parent?: Scope, from?: Scope) {
    this.#parent = parent;
    this.#known = new Map(from === undefined ? [] : from.#known);
    this.#stored = new Set(from === undefined ? [] : from.#stored);
  }

  knows(name: string): boolean {
    return this.#known.has(name) || (this.#parent?.knows(name) ?? false);
  }

  declare(name: string): void {
    this.#known.set(name, 'here');
  }

  load(name: string): void {
    if (!this.knows(name)) this.#known.set(name, 'outside');
  }

  store(name: string): void {
    this.#stored.add(name);
    if (!this.#known.has(name)) this.#known.set(name, 'here');
  }

  branch(): Scope {
    return new Scope(this.#parent, this);
  }

  join(branches: readonly Scope[]): void {
    for (const branch of branches) for (const [name, from] of branch.#known) this.#known.set(name, from);
    const stored = new Set(branches.flatMap((branch) => [...branch.#stored]).filter((name) => !this.#stored.has(name)));
    for (const name of stored) {
      this.#stored.add(name);
      if (branches.every((branch) => branch.#stored.has(name))) continue;
      this.#known.set(name, this.#parent?.knows(name) === true ? 'here' : 'outside');
    }
  }

  outside(): string[] {
    return [...this.#known].filter(([, from]) => from === 'outside').map(([name]) => name);
  }
}

/** The names that a template asks of its record, in the order they are met; the template's globals are among them. */
export function namesAsked(statements: readonly Statement[]): readonly string[] {
  const asked = new Set<string>();
  const root = (body: readonly Node[]): Scope => {
    const scope = new Scope();
    scope.declare('self');
    inScope(scope, body);
    return scope;
  };

  function inScope(scope: Scope, nodes: readonly (Node | undefined)[]): void {
    const inner: (() => void)[] = [];
    for (const node of nodes) if (node !== undefined) visit(node, scope, inner);
    for (const name of scope.outside()) asked.add(name);
    for (const run of inner) run();
  }

  /** What opens a scope of its own is walked when the names of the scope around it are settled. */
  function visit(node: Node, scope: Scope, inner: (() => void)[]): void {
    const visitAll = (nodes: readonly Node[], within = scope): void => {
      for (const child of nodes) visit(child, within, inner);
    };
    const open = (nodes: readonly (Node | undefined)[], declared: readonly string[] = []): void => {
      inner.push(() => {
        const fresh = new Scope(scope);
        for (const name of declared) fresh.declare(name);
        inScope(fresh, nodes);
      });
    };
    switch (node.kind) {
      case 'name':
        return scope.load(node.name);
      case 'namespace-attribute':
        return scope.load(node.namespace);
      case 'set':
        visitAll([node.value]);
        return visitTarget(node.target, scope);
      case 'set-block':
        visitTarget(node.target, scope);
        return open([node.filter, ...node.body]);
      case 'filter-block':
        visitAll([node.filter]);
        return open(node.body);
      case 'if': {
        visitAll([node.test]);
        const branches = [node.body, node.elifs, node.otherwise].map((body) => {
          const branch = scope.branch();
          visitAll(body, branch);
          return branch;
        });
        return scope.join(branches);
      }
      case 'for':
        visitAll([node.iterable]);
        open(node.body, [...targetNames(node.target), 'loop']);
        open(node.otherwise);
        return open([node.test], targetNames(node.target));
      case 'with':
        visitAll(node.values);
        return open(node.body, node.targets.flatMap(targetNames));
      case 'scope':
        return open(node.body);
      case 'macro':
        scope.store(node.name);
        return open([...node.signature.defaults, ...node.body], macroNames(node.signature));
      case 'call-block':
        visitAll([node.call]);
        return open([...node.signature.defaults, ...node.body], macroNames(node.signature));
      case 'block':
        inner.push(() => void root(node.body));
        return;
      case 'import':
        visitAll([node.template]);
        for (const name of node.names) scope.store(name);
        return;
      default:
        return visitAll(childrenOf(node));
    }
  }

  function visitTarget(target: Target, scope: Scope): void {
    if (target.kind === 'namespace-attribute') scope.load(target.namespace);
    else for (const name of targetNames(target)) scope.store(name);
  }

  root(statements);
  return [...asked];
}

/** The names that a target stores. */
export function targetNames(target: Target): readonly string[] {
  if (target.kind === 'targets') return target.items.flatMap(targetNames);
  return target.kind === 'name' ? [target.name] : [];
}

function macroNames(signature: Signature): readonly string[] {
  return [...signature.parameters.map((name: Name) => name.name), 'caller', 'varargs', 'kwargs'];
}
