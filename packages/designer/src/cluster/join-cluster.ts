import { type JoinParts, joinRun, type WorkedRun } from '@data-designer/cluster';
import { DataDesignerError } from '@data-designer/core';
import type { RunOptions } from '@data-designer/engine';
import type { LocalToolProvider } from '@data-designer/mcp';
import { type JoinRunOptions, packageVersion } from '@data-designer/declaration';
import { digestsOf } from './open-for-cluster.ts';

/** The providers, threads and permissions of a program. */
type OwnSettings = Pick<
  RunOptions,
  'providers' | 'modelServers' | 'pool' | 'mediaRoots' | 'allowPrivate' | 'signal' | 'drain'
>;

/** Works on the run in a folder with the providers and the code of this program. */
export function joinCluster(
  folder: string,
  {
    functions: given = {},
    localTools,
    onEvent = () => {},
    leadWorkflow = () => {
      throw new DataDesignerError('internal/unexpected', { reason: 'the run is no workflow' });
    },
    ...settings
  }: Omit<JoinRunOptions, 'signal' | 'drain'> &
    OwnSettings & {
      readonly plugins: readonly string[];
      readonly localTools: readonly LocalToolProvider[];
      readonly run?: string;
    } & Partial<Pick<JoinParts, 'leadWorkflow' | 'functionsIn' | 'isOwn'>>,
): Promise<WorkedRun> {
  return joinRun({
    ...settings,
    folder,
    functions: new Map(Object.entries(given)),
    localTools,
    onEvent,
    leadWorkflow,
    version: packageVersion(),
    digests: (plugins, functions) => digestsOf({ plugins, localTools, functions }),
  });
}
