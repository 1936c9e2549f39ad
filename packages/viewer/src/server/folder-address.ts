import { createHash, createHmac, randomBytes } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { homeFolder } from '@data-designer/config';

/** The ports of viewers: below those that systems give to programs that ask for any. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

/** A secret is replaced after so long: an address that was sent to somebody does not work for ever. */
const SECRET_MS = 7 * 24 * 60 * 60 * 1000;
const SECRET_BYTES = 32;

/** The port that belongs to some folders. */
export function portOf(folders: readonly string[]): number {
  return FIRST_PORT + (createHash('sha256').update(nameOf(folders)).digest().readUInt32BE() % PORTS);
}

/** The secret of the viewers of some folders, made of one that this user keeps; undefined where none can be kept. */
export async function secretOf(folders: readonly string[]): Promise<Buffer | undefined> {
  const secret = await keptSecret().catch(() => undefined);
  return secret && createHmac('sha256', secret).update(nameOf(folders)).digest();
}

function nameOf(folders: readonly string[]): string {
  return JSON.stringify(folders.map((folder) => resolve(folder)));
}

async function keptSecret(): Promise<Buffer | undefined> {
  const { path } = homeFolder();
  const file = join(path, 'viewer-secret');
  const made = await stat(file).catch(() => undefined);
  if (made === undefined || Date.now() - made.mtimeMs > SECRET_MS) {
    if (process.env['DATA_DESIGNER_HOME'] === undefined) await mkdir(path, { recursive: true });
    await writeFile(file, randomBytes(SECRET_BYTES), { mode: 0o600 });
  }
  const kept = await readFile(file);
  return kept.length === SECRET_BYTES ? kept : undefined;
}
