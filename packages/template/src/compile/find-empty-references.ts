import { childrenOf } from '../syntax/tree-walk.ts';
import type { Constant, Expression, Node } from '../syntax/tree.ts';
import { sizeOf } from '../value/inspect.ts';
import { item } from '../methods/lookup.ts';
import { Undefined } from '../value/undefined.ts';
import type { Value } from '../value/value.ts';
import { Render } from './render.ts';

interface Chain {
  readonly root: string;
  readonly steps: readonly Constant[];
}

/** The references of a template that are missing, None or empty in this record, such as `d.nope (missing)`. */
export function findEmptyReferences(tree: readonly Node[], render: Render): readonly string[] {
  const fresh = new Render(render.record, render.rules);
  const empty = new Map<string, string>();
  for (const chain of chainsIn(tree)) {
    const found = follow(chain, fresh);
    if (found !== undefined) empty.set(found.path, `${found.path} (${found.state})`);
  }
  return [...empty.values()];
}

function chainsIn(nodes: readonly Node[]): readonly Chain[] {
  return nodes.flatMap((node) => {
    const chain = chainOf(node);
    return chain === undefined ? chainsIn(childrenOf(node)) : [chain];
  });
}

function chainOf(node: Node): Chain | undefined {
  if (node.kind === 'name') return { root: node.name, steps: [] };
  const step = stepOf(node);
  const before = step === undefined ? undefined : chainOf(step.of);
  return step === undefined || before === undefined ? undefined : { ...before, steps: [...before.steps, step.key] };
}

function stepOf(node: Node): { readonly of: Expression; readonly key: Constant } | undefined {
  if (node.kind === 'attribute') return { of: node.of, key: node.name };
  return node.kind === 'item' && node.key.kind === 'const' ? { of: node.of, key: node.key.value } : undefined;
}

/** Follows a chain to its first missing step, or to an empty value at its end. */
function follow(chain: Chain, render: Render): { readonly path: string; readonly state: string } | undefined {
  if (!Object.hasOwn(render.record, chain.root)) return undefined;
  let path = chain.root;
  let value = render.column(chain.root);
  for (const step of chain.steps) {
    value = item(value, step, render);
    path += typeof step === 'string' ? `.${step}` : `[${String(step)}]`;
    if (value instanceof Undefined) return { path, state: 'missing' };
  }
  const state = emptiness(value, render);
  return state === undefined ? undefined : { path, state };
}

function emptiness(value: Value, render: Render): string | undefined {
  if (value === null) return 'None';
  if (value === '') return 'empty text';
  return sizeOf(value, render) === 0 ? 'empty' : undefined;
}
