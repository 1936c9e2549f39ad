import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('../packages/bench/src/chaos/chaos.ts', import.meta.url));

// The long form is `npm run chaos -- kills`.
test(
  'runs killed at random moments and resumed make the same dataset and repeat no journaled request',
  { tags: 'long', timeout: 600_000 },
  async () => {
    const child = spawn(process.execPath, ['--conditions=@data-designer/source', program, 'kills', '--times', '1'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
    const code = await new Promise((resolve) => {
      child.once('close', resolve);
    });
    expect(said).toMatch(/datasets \| kills \| resumes \| identical/);
    expect({ code, said }).toMatchObject({ code: 0 });
  },
);
