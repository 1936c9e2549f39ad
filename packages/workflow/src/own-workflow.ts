import { sep } from 'node:path';
import type { UserFunction } from '@data-designer/core';

/** What a program knows of a workflow that it has begun on a cluster. */
export class OwnWorkflow {
  /** The functions of the stages that it has compiled, by their folders. */
  readonly functions = new Map<string, ReadonlyMap<string, UserFunction>>();
  #run: string | undefined;

  /** The id of its session; undefined before it begins, and for a workflow on one machine. */
  get run(): string | undefined {
    return this.#run;
  }

  /** The workflow begins, or this program takes the place of its lost coordinator. */
  begin(run: string | undefined): void {
    this.#run = run;
  }

  /** The functions of the stage in a folder, or around one: a stage that selects has a folder of candidates. */
  readonly functionsIn = (folder: string): ReadonlyMap<string, UserFunction> => {
    const [found] = [...this.functions].filter(([stage]) => folder === stage || folder.startsWith(stage + sep));
    return found?.[1] ?? new Map();
  };
}
