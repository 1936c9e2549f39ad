import { type JoinedRun, joinRun } from '@data-designer/cluster';
import { DataDesignerError } from '@data-designer/core';
import type { RunOptions } from '@data-designer/engine';
import type { LocalToolProvider } from '@data-designer/mcp';
import type { JoinRunOptions } from '../data-designer-options.ts';
import { packageVersion } from '../options/package-version.ts';
import type { Successor } from './continue-workflow.ts';
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
    makerOf,
    ...settings
  }: Omit<JoinRunOptions, 'signal' | 'drain'> &
    OwnSettings & {
      readonly plugins: readonly string[];
      readonly localTools: readonly LocalToolProvider[];
      readonly run?: string;
      /** What makes the stages of a workflow in the place of its lost coordinator; absent for one run. */
      readonly makerOf?: Successor['makerOf'];
    },
): Promise<JoinedRun> {
  const functions = new Map(Object.entries(given));
  return joinRun({
    ...settings,
    folder,
    functions,
    localTools,
    onEvent,
    leadWorkflow: async (lost) => {
      if (!makerOf) throw new DataDesignerError('internal/unexpected', { reason: 'the run is no workflow' });
      const { continueWorkflow } = await import('./continue-workflow.ts');
      await continueWorkflow(lost, { ...settings, makerOf, onEvent });
    },
    version: packageVersion(),
    digests: (plugins) =>
      digestsOf({
        plugins,
        localTools,
        functions,
      }),
  });
}
