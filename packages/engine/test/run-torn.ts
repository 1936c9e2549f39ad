import { TornWrites } from './torn-writes.ts';

// The program of `npm run chaos -- torn`: resumes a small recorded run, and a recorded retry of lost rows, from every state
// that a kill or a power cut can leave, and tells each that does not become the same dataset.

await resumeAll('torn', await TornWrites.record());
await resumeAll('retry', await TornWrites.recordRetry());

async function resumeAll(name: string, recorded: TornWrites): Promise<void> {
  await using torn = recorded;
  process.stdout.write(`${name}, ${torn.length} operations\n`);
  let crashes = 0;
  let faulty = 0;
  for await (const { operations, crash, faults } of torn.resumeFrom(() => true)) {
    crashes++;
    if (faults.length === 0) continue;
    faulty++;
    process.exitCode = 1;
    process.stdout.write(`${crash} after ${operations} operations: ${faults.join('; ')}\n`);
  }
  const counts = `${String(crashes).padStart(7)} | ${String(crashes - faulty).padStart(9)}`;
  process.stdout.write(`crashes | identical\n${counts}\n`);
}
