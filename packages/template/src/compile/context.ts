import { DataDesignerError } from '@data-designer/core';
import type { Scope } from './scope.ts';

/** What the place of a node in its template means for compiling it. */
export interface Context {
  readonly scope: Scope;
  /** Filters that may be used, of those there are. */
  readonly filters: ReadonlySet<string>;
  /** Whether the node stands on a branch: a filter that is not allowed there fails only when it is reached. */
  readonly onBranch: boolean;
  /** How many loops are around the node. */
  readonly loopDepth: number;
}

/** Ends compilation because a template uses something that is not supported. */
export function refuse(construct: string, remedy: string): never {
  throw new DataDesignerError('template/refused', { construct, remedy });
}
