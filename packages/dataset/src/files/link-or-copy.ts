import { readFile } from 'node:fs/promises';
import { systemCode } from '@data-designer/core';
import { writeDurably } from './commit-file.ts';
import { files } from './files.ts';

/** Why a file cannot have a second name: the folders are on different file systems, or theirs has no hard links. */
const NO_HARD_LINK = new Set(['EXDEV', 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Gives a file a second name, or copies it where that is not possible. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  await files()
    .link(from, to)
    .catch(async (thrown: unknown) => {
      if (!NO_HARD_LINK.has(systemCode(thrown))) throw thrown;
      await writeDurably(to, await readFile(from));
    });
}
