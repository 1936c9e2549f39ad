import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { FileOrder } from './test/file-order.ts';

const source = ['@data-designer/source'];
const PUBLISHED = join(import.meta.dirname, 'packages', 'data-designer', 'dist');

// Commands that tests start, and tests themselves, are compiled once: a fifth of the CPU of a run of everything.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

export default defineConfig({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source } },
  test: {
    projects: [
      { extends: true, test: { name: 'packages', include: ['packages/*/src/**/*.test.ts'] } },
      // The others test the package as it is published, whose threads start in half the time.
      {
        extends: true,
        resolve: {
          alias: [
            { find: /^data-designer$/, replacement: join(PUBLISHED, 'index.js') },
            // Threads, the simulator and the demo tools start from their sources in five times the CPU.
            { find: /^\.\/thread-entry\.ts$/, replacement: join(import.meta.dirname, 'test', 'published-threads.ts') },
          ],
        },
        test: {
          name: 'pipeline',
          include: ['test/**/*.test.ts'],
          globalSetup: ['./test/build-program.ts'],
          server: { deps: { external: [PUBLISHED] } },
        },
      },
    ],
    globalSetup: ['./test/node-version.ts'],
    // Test files share workers and their loaded modules: a third of the CPU of unit tests, a tenth of the pipeline's.
    isolate: false,
    tags: [
      {
        name: 'long',
        description:
          'Takes seconds, or repeats in further conditions what another test claims; `npm test` leaves it out.',
      },
    ],
    reporters: ['default', './test/closing-line.ts'],
    // V8 can abort a process whose threads come and go (nodejs/node#64500), where it frees the old code of calls from WebAssembly to
    // JavaScript that it compiles anew after a thousand of them. The HTTP parser makes such calls: here they are not compiled anew.
    // Nor is Ruff, which checks Python and is run a few times: optimizing it takes three seconds of CPU in each process.
    execArgv: [
      '--conditions=@data-designer/source',
      '--wasm-wrapper-tiering-budget=2000000000',
      '--wasm-tiering-budget=1000000000',
    ],
    // A folder that is not there: tests do not see what their user keeps at home.
    env: { DATA_DESIGNER_HOME: join(tmpdir(), 'data-designer-no-home') },
    // Most pipeline tests wait for processes and servers: four files at a time leave a tenth of two processors idle.
    maxWorkers: Math.max(5, availableParallelism()),
    sequence: { sequencer: FileOrder },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for has the time of its test: a second is little on a machine that does much else.
    expect: { poll: { timeout: 100_000 } },
  },
});
