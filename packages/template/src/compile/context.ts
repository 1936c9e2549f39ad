import { DataDesignerError } from '@data-designer/core';
import type { Execute } from './render.ts';
import { Scope, type SlotRange } from './scope.ts';

/** A compiled block, which `self` can render again by name. */
export interface CompiledBlock {
  readonly run: Execute;
  readonly slots: SlotRange;
}

/** The position of a node, as far as compilation needs it. */
export interface Context {
  readonly scope: Scope;
  /** The filters of the mode. */
  readonly filters: ReadonlySet<string>;
  /** Whether the node is on a branch, where a filter that the mode lacks fails only at run time. */
  readonly onBranch: boolean;
  /** The scope of the whole template, which is the outer scope of blocks. */
  readonly root: Scope;
  /** The blocks compiled so far. */
  readonly blocks: Map<string, CompiledBlock>;
}

/** The context of a whole template. */
export function rootContext(filters: ReadonlySet<string>): Context {
  const scope = new Scope();
  return { scope, root: scope, blocks: new Map(), filters, onBranch: false };
}

/** The context of a part with a scope of its own. */
export function innerContext(context: Context): Context {
  return { ...context, scope: new Scope(context.scope) };
}

/** Throws `template/refused`. */
export function refuse(construct: string, remedy: string): never {
  throw new DataDesignerError('template/refused', { construct, remedy });
}
