import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something holds, however long the machine takes over it: the time of its test is the bound. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(2);
}
