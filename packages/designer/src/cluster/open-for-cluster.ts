import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type ClusterMachines, openCluster, refuseIdle } from '@data-designer/cluster';
import { moduleAddress, type UserFunction } from '@data-designer/core';
import type { LocalToolProvider } from '@data-designer/mcp';
import { type ClusterSettings, packageVersion } from '@data-designer/declaration';
import type { ClusterWork, StagePlace } from '@data-designer/workflow';
import { digestModule } from './digest-module.ts';

/** The code that a run calls, and what its cells may read. */
export interface RunParts extends RunCode {
  readonly mediaRoots: readonly string[];
  readonly allowPrivate: boolean;
}

interface RunCode {
  readonly plugins: readonly string[];
  readonly localTools: readonly LocalToolProvider[];
  readonly functions: ReadonlyMap<string, UserFunction>;
}

/** Connects to the cluster of a new run, or of a workflow whose coordinator is lost; throws `cluster/*`. */
export async function openForCluster(
  { connection, work, leaseSeconds, leave }: ClusterSettings,
  { mediaRoots, allowPrivate, ...code }: RunParts,
  { plans, lost, onEvent }: ClusterWork,
): Promise<ClusterMachines> {
  for (const plan of plans) refuseIdle(plan, { work });
  return openCluster({
    ...(lost && { run: lost.run, successor: lost, parts: lost.machines }),
    onEvent,
    connection,
    work,
    leave,
    leaseMs: leaseSeconds === undefined ? undefined : leaseSeconds * 1000,
    version: packageVersion(),
    code: await digestsOf(code),
    functions: [...code.functions.keys()],
    mediaRoots: mediaRoots.length,
    allowPrivate,
  });
}

/** The machines of a stage, among those of its workflow. */
export async function openForStage(
  { machines, limits }: NonNullable<StagePlace['cluster']>,
  code: RunCode,
  imageFolders: readonly string[],
): Promise<ClusterMachines> {
  return machines.next({ code: await digestsOf(code), functions: [...code.functions.keys()], imageFolders, limits });
}

/** The digests of the code that a run calls, by names for messages. */
export async function digestsOf({ plugins, localTools, functions }: RunCode): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [index, address] of plugins.entries()) {
    const digest = await digestOfModule(address).catch(orMissing);
    if (digest !== undefined) digests[`plug-in ${index + 1}`] = digest;
  }
  for (const tools of localTools) {
    if ('module' in tools) digests[`module of the tools '${tools.name}'`] = await digestOfModule(tools.module);
  }
  for (const [handle, call] of functions) digests[`function ${handle}`] = digestOf(String(call));
  return digests;
}

/** A machine without a plug-in of a run learns what else it lacks. */
function orMissing(failure: NodeJS.ErrnoException): undefined {
  if (failure.code !== 'ENOENT') throw failure;
}

async function digestOfModule(module: string | URL): Promise<string> {
  const address = moduleAddress(module);
  // A module that is no file has only its address.
  if (!address.startsWith('file:')) return digestOf(address);
  return digestModule(fileURLToPath(address));
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
