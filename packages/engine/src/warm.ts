import { endWarmIoThread, warmIoThread } from '@data-designer/gateway/warm';
import { MAIN_THREAD_ROWS, offerMainThread } from './executor/thread-sizing.ts';
import { endWarmWorkers, warmWorker } from './executor/worker-pool.ts';

// What a command loads first, while the rest of the engine is not needed yet.
export { MAIN_THREAD_ROWS, offerMainThread, warmIoThread, warmWorker };

/** Ends the threads that wait for a further run: what a command does after its rows takes as much memory as they have. */
export async function endWarmThreads(): Promise<void> {
  await Promise.all([endWarmWorkers(), endWarmIoThread()]);
}
