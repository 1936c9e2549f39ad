import type { Reporter, TestModule } from 'vitest/node';

/** Closes the run with `N passed, N failed`, counted from the runner's own report. */
class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') counts[state]++;
      }
    }
    const { passed, failed, skipped } = counts;
    setImmediate(() => {
      process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
    });
  }
}

// vitest loads a reporter file by its default export
export default ClosingLine;
