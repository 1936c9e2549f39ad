import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const SIGNALS = new URL('./signals.ts', import.meta.url).href;
/** A machine that waits for something that never comes. */
const WAITING = `
  const { drainOnSignals } = await import(${JSON.stringify(SIGNALS)});
  drainOnSignals({ leavesOnTerm: true });
  setInterval(() => {}, 1000);
  process.stdout.write('ready');
`;

test(
  'a machine of a cluster that waits for ever exits within 15 s of SIGTERM, and says so',
  { tags: 'long', timeout: 60_000 },
  async () => {
    const child = spawn(process.execPath, ['--conditions=@data-designer/source', '--input-type=module', '-e', WAITING]);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    await once(child.stdout, 'data');
    const from = performance.now();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([143, null]);
    expect(performance.now() - from).toBeLessThan(15_000);
    expect(said).toContain('exits now');
  },
);
