import { systemCode } from '@data-designer/core';
import { isFromFileSystem } from './storage-failure.ts';

/** The missing file that made reading fail; undefined for other errors. */
export function missingFile(thrown: unknown): string | undefined {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return isFromFileSystem(cause) && cause.code === 'ENOENT' ? cause.path : undefined;
}

/** The missing file that made reading fail, for one more attempt; rethrows other errors and a repeated one. */
export function missingFileOnce(thrown: unknown, before: string | undefined): string {
  const path = missingFile(thrown);
  if (path === undefined || path === before) throw thrown;
  return path;
}

/** The result of a file operation, or `otherwise` if there is no such file. */
export async function ifThere<Result, Other>(operation: Promise<Result>, otherwise: Other): Promise<Result | Other> {
  try {
    return await operation;
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return otherwise;
    throw thrown;
  }
}
