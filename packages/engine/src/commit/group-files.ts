import { join } from 'node:path';
import { isRetryable, type Plan } from '@data-designer/core';
import {
  type BatchFolders,
  type BatchFormat,
  batchName,
  type DatasetPaths,
  sideFolders,
  sideTables,
  type StagedFile,
  type SummedFile,
} from '@data-designer/dataset';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { Destination } from '../row-group/write-batch.ts';

/** Where the files of a dataset go. */
export interface GroupFiles {
  readonly plan: Plan;
  readonly paths: DatasetPaths;
  readonly format: BatchFormat;
}

/** The paths of a group's files before and after the commit; those before it end in `suffix`. */
export function groupFiles(
  { plan, paths, format }: GroupFiles,
  group: number,
  suffix = '',
): Destination & { readonly kind: 'file' } {
  const name = batchName(group, format);
  const filesFor = ({ parquetFiles, partialFiles }: BatchFolders): StagedFile => ({
    path: join(parquetFiles, name),
    temporary: join(partialFiles, `${name}${suffix}`),
  });
  const staged = sideTables(plan).map((table) => filesFor(sideFolders(paths, table)));
  const layout = plan.layout === undefined ? {} : { layout: plan.layout };
  return { kind: 'file', format, ...layout, ...filesFor(paths), sideTables: staged };
}

/** Whether the group lost all rows to failures that may pass, such as a server that is down: a later run makes it. */
export function mayPass({ rows, lost }: RowGroupResult): boolean {
  return rows === 0 && lost.length > 0 && lost.every(({ code }) => isRetryable(code));
}

/** The files that a group wrote, the main one last. */
export function filesIn(output: RowGroupResult['output']): readonly SummedFile[] {
  return output && 'file' in output ? [...(output.sideTables ?? []), output.file] : [];
}
