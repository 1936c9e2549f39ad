import { type EngineName, execute } from '@data-designer/execution';

// The program of a run that is killed in the middle: it says when its sandbox has started.

const [engine, program] = process.argv.slice(2) as [EngineName, string];
const limits = { timeoutMs: 300_000, memoryBytes: 64_000_000, outputBytes: 20_000 };
await execute(engine, { runs: [{ scripts: [engine === 'python' ? 'pass' : 'SELECT 1'] }], limits });
const endless = execute(engine, { runs: [{ scripts: [program] }], limits });
process.stdout.write('started\n');
await endless;
