import { parentPort } from 'node:worker_threads';
import { DataDesignerError } from '@data-designer/core';
import { makeRowGroup, type WorkerMessage, type WorkerTask } from './worker.ts';

function tell(message: WorkerMessage): void {
  try {
    parentPort?.postMessage(message);
  } catch (thrown) {
    // A result that cannot cross threads fails its group alone.
    if (message.kind !== 'answer') throw thrown;
    const failure = DataDesignerError.fromUnknown(thrown).toWire();
    parentPort?.postMessage({ ...message, answer: { failure } });
  }
}

parentPort?.on('message', ({ id, task }: WorkerTask) => {
  void makeRowGroup(task).then((answer) => tell({ kind: 'answer', id, answer }));
});
tell({ kind: 'ready' });
