import { relative } from 'node:path';
import { shellWord } from '@data-designer/printing';

/** A path as commands that are printed name it: from the working folder where it lies in it, and quoted for a shell. */
export function shellPath(path: string): string {
  const near = relative('', path);
  return shellWord(near === '' || near.startsWith('..') ? path : near);
}
