import type { RunEvent } from '@data-designer/engine';

/** A dataset whose folder is not the requested one. */
type FolderDivert = Omit<Extract<RunEvent, { type: 'folder-divert' }>, 'type'>;

/** Says where a dataset is written if another one occupies its folder. */
export function describeFolderDivert({ path, wanted, holds }: FolderDivert, resume = 'add --resume always'): string {
  const moved = `so this one is saved in ${path}.`;
  if (holds === 'finished') return `${wanted} already contains a finished dataset of this config, ${moved}`;
  if (holds === 'other') return `${wanted} contains a dataset of another config, ${moved}`;
  if (holds === undefined) return `${wanted} already contains a dataset, ${moved}`;
  return `${wanted} contains an unfinished dataset of this config, ${moved} To continue it instead, stop this run and ${resume}.`;
}
