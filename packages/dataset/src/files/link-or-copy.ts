import { readFile } from 'node:fs/promises';
import { systemCode } from '@data-designer/core';
import { writeDurably } from './commit-file.ts';
import { files } from './files.ts';
import { NO_HARD_LINKS } from './folder-lock.ts';

/** Gives a file a second name, or copies it where that is not possible. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  await files()
    .link(from, to)
    .catch(async (thrown: unknown) => {
      const code = systemCode(thrown);
      // The folders may be on different file systems.
      if (code !== 'EXDEV' && !NO_HARD_LINKS.has(code)) throw thrown;
      await writeDurably(to, await readFile(from));
    });
}
