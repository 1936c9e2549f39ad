import { defineConfig } from 'vitest/config';

const source = ['@data-designer/source'];

export default defineConfig({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['./test/node-version.ts'],
    reporters: ['default', './test/closing-line.ts'],
    execArgv: ['--conditions=@data-designer/source'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
