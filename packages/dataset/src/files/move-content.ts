import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { files } from './files.ts';
import { orStorageFailure } from './storage-failure.ts';

/** Moves everything in a folder to another one, over what has the same name there; `last` is moved after all others. */
export async function moveContent(from: string, to: string, { last }: { readonly last: string }): Promise<void> {
  await orStorageFailure(to, async () => {
    const names = (await readdir(from)).toSorted((a, b) => Number(a === last) - Number(b === last));
    for (const name of names) {
      await files().removeTree(join(to, name));
      await files().rename(join(from, name), join(to, name));
      await files().syncFolder(to);
    }
  });
}
