import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

const SCRIPT = join(import.meta.dirname, 'scipy_quantiles.py');
const FIXTURE = join(import.meta.dirname, '../../../columns/src/distributions/scipy-quantiles.json');

/** Asks scipy and mpmath for quantiles, and writes the fixture; says on stderr where scipy is wrong. */
export async function askQuantiles(python: string): Promise<{ readonly file: string; readonly sets: number }> {
  const { stdout, stderr } = await promisify(execFile)(python, [SCRIPT], { maxBuffer: 2 ** 26 });
  process.stderr.write(stderr);
  const sets = stdout.trim().split('\n');
  writeFileSync(FIXTURE, `[\n${sets.join(',\n')}\n]\n`);
  return { file: relative(process.cwd(), FIXTURE), sets: sets.length };
}
