import { readFileSync } from 'node:fs';
import { systemCode } from '@data-designer/core';

/** States of ended processes, which keep their id until their parent waits for them. */
const ENDED = new Set(['Z', 'X']);

/**
 * Whether a process of this host runs. With its start (`birthOf`), a later process with the same id does not count. A process
 * that has ended and that its parent has not waited for does not run.
 */
export function isRunning(pid: number, birth?: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
  const found = birthOf(pid);
  return birth === undefined ? found !== 'ended' : found === birth;
}

/**
 * The start of a process in the kernel's ticks; `ended` for an ended one, empty if unknown. It is field 22 of
 * `/proc/<pid>/stat`; the second field, the name in brackets, may contain spaces.
 */
export function birthOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return ENDED.has(fields[0] ?? '') ? 'ended' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
