import { TornWrites } from './torn-writes.ts';

// The program of `npm run chaos -- torn`: resumes a small recorded run from every state that a kill or a power cut can
// leave, and tells each that does not become the same dataset.

await using torn = await TornWrites.record();
process.stdout.write(`torn, ${torn.length} operations\n`);
let crashes = 0;
let faulty = 0;
for await (const { operations, crash, faults } of torn.resumeFrom(() => true)) {
  crashes++;
  if (faults.length === 0) continue;
  faulty++;
  process.exitCode = 1;
  process.stdout.write(`${crash} after ${operations} operations: ${faults.join('; ')}\n`);
}
process.stdout.write(`crashes | identical\n${String(crashes).padStart(7)} | ${String(crashes - faulty).padStart(9)}\n`);
