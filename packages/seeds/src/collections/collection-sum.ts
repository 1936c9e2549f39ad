import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { FetchRefusal } from '@data-designer/config';
import { systemCode } from '@data-designer/core';
import { hashFile } from '@data-designer/dataset';

/** A longer file is not one of checksums. */
const MAX_BYTES = 65_536;

/** The file beside a collection that records its SHA-256, as `sha256sum` writes it. */
export function sumPath(path: string): string {
  return `${path}.sha256`;
}

/** The line of `sha256sum` for a file. */
export function sumLine(path: string, sha256: string): string {
  return `${sha256}  ${basename(path)}\n`;
}

/** The SHA-256 in a text of `sha256sum`: that of the named file, else the first; undefined if there is none. */
function sumIn(text: string, name: string): string | undefined {
  const lines = text
    .slice(0, MAX_BYTES)
    .split('\n')
    .map((line) => line.trim());
  const sums = lines.flatMap((line) => {
    const [, hex, of] = /^\\?([\da-f]{64})(?:\s+\*?(.*))?$/i.exec(line) ?? [];
    return hex === undefined ? [] : [{ hex: hex.toLowerCase(), of }];
  });
  return (sums.find(({ of }) => of !== undefined && basename(of) === name) ?? sums[0])?.hex;
}

/** The SHA-256 in the file beside a collection; undefined if there is none. Throws `FetchRefusal` for other text. */
export async function givenSum(path: string): Promise<string | undefined> {
  const beside = sumPath(path);
  try {
    return requireSum(await readFile(beside, 'utf8'), { beside, name: basename(path) });
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** The SHA-256 in a text of `sha256sum`; throws `FetchRefusal` if there is none. */
export function requireSum(text: string, { beside, name }: { readonly beside: string; readonly name: string }): string {
  const sum = sumIn(text, name);
  if (sum === undefined) throw new FetchRefusal(`${beside} contains no SHA-256`);
  return sum;
}

/** Whether there is a file with this content. */
export async function hasSum(path: string, sha256: string, signal: AbortSignal): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile()) return false;
  return (await hashFile(createHash('sha256'), path, signal)).digest('hex') === sha256;
}
