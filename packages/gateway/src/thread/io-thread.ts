import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { DataDesignerError } from '@data-designer/core';
import { JointLimits } from '../admission/joint-limits.ts';
import { beat, type HeartbeatMemory } from './heartbeat.ts';
import type { FromThread, ToThread } from './control.ts';
import { ServedRun } from './served-run.ts';

// The one thread that talks to models and tools: it alone holds keys, connections, sessions and journals.

const host = parentPort as MessagePort;
beat(workerData as HeartbeatMemory);
const runs = new Map<number, ServedRun>();
/** The limits of all runs, if they share them. */
let joint: JointLimits | undefined;

function open({ run, settings }: ToThread & { readonly kind: 'open' }): void {
  const report = (message: FromThread['report']): void =>
    host.postMessage({ run, report: message } satisfies FromThread);
  try {
    runs.set(run, new ServedRun(settings, report, joint));
    report({ kind: 'done', id: 0 });
  } catch (thrown) {
    // There are no secrets before they are resolved.
    report({ kind: 'failed', id: 0, failure: DataDesignerError.fromUnknown(thrown).toWire() });
  }
}

host.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'open':
      return open(message);
    case 'control':
      void runs.get(message.run)?.take(message.control);
      if (message.control.kind === 'close') runs.delete(message.run);
      return;
    case 'share':
      joint = message.resources && new JointLimits(message.resources);
      return;
    case 'spend':
      return joint?.raise(message.account, message.cost);
  }
});

// An uncaught error would reach the host with its secrets.
process.on('uncaughtException', (thrown) => {
  for (const run of runs.values())
    run.fail('fatal', new DataDesignerError('run/gateway-lost', { reason: thrown.message }));
  process.exit(1);
});
