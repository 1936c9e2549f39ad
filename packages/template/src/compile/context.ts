import { DataDesignerError } from '@data-designer/core';
import type { Execute } from './render.ts';
import { Scope, type Slots } from './scope.ts';

/** A block of a template, which may be written again by its name. */
export interface Block {
  readonly run: Execute;
  readonly slots: Slots;
}

/** What the place of a node in its template means for compiling it. */
export interface Context {
  readonly scope: Scope;
  /** Filters that may be used, of those there are. */
  readonly filters: ReadonlySet<string>;
  /** Whether the node stands on a branch: a filter that is not allowed there fails only when it is reached. */
  readonly onBranch: boolean;
  /** The scope of the whole template, which blocks see. */
  readonly root: Scope;
  /** The blocks met so far. */
  readonly blocks: Map<string, Block>;
}

/** The place of the root of a template. */
export function rootContext(filters: ReadonlySet<string>): Context {
  const scope = new Scope();
  return { scope, root: scope, blocks: new Map(), filters, onBranch: false };
}

/** Ends compilation because a template uses something that is not supported. */
export function refuse(construct: string, remedy: string): never {
  throw new DataDesignerError('template/refused', { construct, remedy });
}
