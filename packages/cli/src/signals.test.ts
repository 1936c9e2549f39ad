import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';

const SIGNALS = new URL('./signals.ts', import.meta.url).href;
/** A machine that waits for something that never comes. */
const WAITING = `
  const { drainOnSignals } = await import(${JSON.stringify(SIGNALS)});
  drainOnSignals({ leavesOnTerm: true });
  setInterval(() => {}, 1000);
  process.stdout.write('ready');
`;

/** A run that drains for a moment, told of in a file. */
const DRAINING = (notes: string) => `
  import { appendFileSync } from 'node:fs';
  const note = (text) => appendFileSync(${JSON.stringify(notes)}, text + '\\n');
  const { drainOnSignals } = await import(${JSON.stringify(SIGNALS)});
  const { guardOutput } = await import(${JSON.stringify(new URL('./guard-output.ts', import.meta.url).href)});
  guardOutput();
  const { drain } = drainOnSignals();
  drain.addEventListener('abort', () => {
    note('drains');
    process.stdout.write('a line for nobody');
    setTimeout(() => {
      note('saved');
      process.exit();
    }, 300);
  });
  setInterval(() => process.stdout.write('.'), 20);
  note(String(process.pid));
`;

test.runIf(process.platform === 'linux')(
  'a run whose terminal is closed drains, and one without a terminal goes on',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signals-'));
    const [notes, program] = [join(folder, 'notes.txt'), join(folder, 'run.mjs')];
    const noted = () => (existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').slice(1, -1) : undefined);
    writeFileSync(program, DRAINING(notes));
    const command = `'${process.execPath}' --conditions=@data-designer/source '${program}'`;
    using terminal = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await vi.waitUntil(noted, { timeout: 20_000 });
    terminal.kill('SIGKILL');
    await vi.waitFor(() => expect(noted()).toEqual(['drains', 'saved']), { timeout: 20_000 });
    rmSync(notes);
    using child = spawn(process.execPath, ['--conditions=@data-designer/source', program], { stdio: 'ignore' });
    await vi.waitUntil(noted, { timeout: 20_000 });
    child.kill('SIGHUP');
    child.kill('SIGHUP');
    child.kill('SIGTERM');
    // Had it taken the first two, the third would have ended it before it saved.
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(noted()).toEqual(['drains', 'saved']);
    rmSync(folder, { recursive: true });
  },
);

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
