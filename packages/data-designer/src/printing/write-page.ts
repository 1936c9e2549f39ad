import { extname, resolve } from 'node:path';
import { DataDesignerError } from '@data-designer/core';
import { writeText } from '@data-designer/dataset';

/**
 * Makes a page, writes it atomically to an `.html` file, and returns it. Throws `report/invalid-option` for another
 * extension before it makes the page, and `dataset/*`.
 */
export async function writePage(path: string, makePage: () => string | Promise<string>): Promise<string> {
  if (extname(path).toLowerCase() !== '.html') {
    const wanted = 'a file that ends in .html';
    throw new DataDesignerError('report/invalid-option', { option: 'savePath', found: path, wanted });
  }
  const page = await makePage();
  await writeText([page], resolve(path));
  return page;
}
