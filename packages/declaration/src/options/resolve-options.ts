import { realpathSync, statSync } from 'node:fs';
import type { RunConfig } from '@data-designer/config';
import { DataDesignerError, fileReason, NEVER } from '@data-designer/core';
import type { EndSettings } from '@data-designer/engine';
import type { CreateOptions, StopOptions } from '../data-designer-options.ts';

/** The settings that end a run early. */
export function endSettings(settings: RunConfig): EndSettings {
  const { maxDurationSeconds, disableEarlyShutdown, shutdownErrorRate: rate, shutdownErrorWindow: window } = settings;
  return { maxDurationSeconds, errorRate: disableEarlyShutdown || rate >= 1 ? null : { rate, window } };
}

/** Stop signals, with signals that never fire as defaults. */
export function stopSignals({ signal = NEVER, drain = NEVER }: StopOptions): Required<StopOptions> {
  return { signal, drain };
}

/** The real paths of the folders whose files cells may name; throws `dataset/no-media-root` for a missing one. */
export function resolveMediaRoots(folders: readonly string[]): readonly string[] {
  return folders.map((path) => {
    let reason = 'it is not a folder';
    try {
      const real = realpathSync(path);
      if (statSync(real).isDirectory()) return real;
    } catch (thrown) {
      reason = fileReason(thrown, 'folder');
    }
    throw new DataDesignerError('dataset/no-media-root', { path, reason });
  });
}

/** Throws `config/invalid` for a `retryLost` that would do nothing: only a resume makes lost rows again. */
export function refuseUselessRetry(
  { resume = 'never', retryLost = false }: Pick<CreateOptions, 'resume' | 'retryLost'>,
  call: string,
): void {
  if (!retryLost || resume !== 'never') return;
  const violation = {
    stage: 'run',
    level: 'ERROR',
    type: 'invalid_option',
    path: 'retryLost',
    message: 'it has no effect without resume.',
    remedy: "Add resume: 'always', or leave it out.",
  } as const;
  throw new DataDesignerError('config/invalid', { source: `The call of ${call}`, violations: [violation] });
}
