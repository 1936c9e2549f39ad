import { extname, resolve } from 'node:path';
import { DataDesignerError } from '@data-designer/core';
import { writeText } from '@data-designer/dataset';

/** How to make the content of a file, by its extension. */
type Makers = Readonly<Partial<Record<'.html' | '.svg', () => string | Promise<string>>>>;

/**
 * Makes a page or a picture, writes it atomically, and returns it. Throws `report/invalid-option` for another extension
 * before it makes anything, and `dataset/*`.
 */
export async function writePage(path: string, makers: Makers): Promise<string> {
  const make = Object.entries(makers).find(([extension]) => extension === extname(path).toLowerCase())?.[1];
  if (!make) {
    const wanted = `a file that ends in ${Object.keys(makers).join(' or ')}`;
    throw new DataDesignerError('report/invalid-option', { option: 'savePath', found: path, wanted });
  }
  const page = await make();
  await writeText([page], resolve(path));
  return page;
}
