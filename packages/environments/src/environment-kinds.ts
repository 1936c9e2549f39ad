import type { z } from 'zod';
import { code } from './code/code.ts';
import type { EnvironmentConfig, EnvironmentKind } from './environment-kind.ts';
import { mcp } from './mcp/mcp.ts';
import { simulated } from './simulated/simulated.ts';
import { sqlite } from './sqlite/sqlite.ts';

const KINDS = [sqlite, code, mcp, simulated] as const;

/** All kinds; their functions take the declaration of their own kind only. */
export const environmentKinds = KINDS as unknown as readonly EnvironmentKind[];

/** A parsed declaration of any kind. */
export type Environment = z.output<(typeof KINDS)[number]['schema']>;

/** A declaration of any kind before it is parsed. */
export type EnvironmentInput = z.input<(typeof KINDS)[number]['schema']>;

/** The kind of a parsed declaration. */
export function kindOf({ kind }: Pick<EnvironmentConfig, 'kind'>): EnvironmentKind {
  const found = environmentKinds.find((one) => one.kind === kind);
  if (!found) throw new Error(`no environment kind '${kind}'`);
  return found;
}
