import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Ends threads while they require the entry of a worker, as Piscina does: Node can abort the process by that. */
const [entry] = process.argv.slice(2);
const source = `
  const entry = ${JSON.stringify(entry)};
  require(entry);
  require('node:worker_threads').parentPort.postMessage('required');
  for (;;) {
    delete require.cache[require.resolve(entry)];
    require(entry);
  }
`;
for (let count = 0; count < 30; count += 1) {
  const thread = new Worker(source, { eval: true, workerData: { heartbeat: undefined } });
  thread.on('error', () => {});
  await once(thread, 'message');
  await new Promise((resolve) => setTimeout(resolve, count % 4));
  await thread.terminate();
}
process.stdout.write('alive\n');
