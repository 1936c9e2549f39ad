import type { Reporter, TestModule } from 'vitest/node';

/** Closes the run with `N passed, N failed`, counted from the runner's own report; tests of another command are not skipped. */
class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0, elsewhere: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'skipped' && test.tags.includes('long')) counts.elsewhere++;
        else if (state !== 'pending') counts[state]++;
      }
    }
    const { passed, failed, skipped, elsewhere } = counts;
    setImmediate(() => {
      if (elsewhere > 0) process.stdout.write(`\n${elsewhere} tests are those of npm run test:long\n`);
      process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
    });
  }
}

// vitest loads a reporter file by its default export
export default ClosingLine;
