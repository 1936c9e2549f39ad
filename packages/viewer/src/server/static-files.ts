import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { DataDesignerError } from '@data-designer/core';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the app. */
interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The files of the built app by their addresses, all of which are read at the start. */
export async function readStaticFiles(folder: string): Promise<ReadonlyMap<string, StaticFile>> {
  const names = await readdir(folder).catch((thrown: unknown) => {
    const reason = `the pages of the viewer are not in ${folder}; build them with npm run build`;
    throw new DataDesignerError('internal/unexpected', { reason }, { cause: thrown });
  });
  const files = new Map<string, StaticFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type !== undefined) files.set(`/${name}`, { type, bytes: await readFile(join(folder, name)) });
  }
  const index = files.get('/index.html');
  if (index) files.set('/', index);
  return files;
}
