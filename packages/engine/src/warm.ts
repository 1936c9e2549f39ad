// What a command loads first, while the rest of the engine is not needed yet.
export { warmIoThread } from '@data-designer/gateway/warm';
export { warmWorker } from './executor/worker-pool.ts';
