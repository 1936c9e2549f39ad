import { type CrashReport, TornWrites } from '../../../engine/test/torn-writes.ts';

/**
 * Resumes a small recorded run from every state that a kill or a power cut can leave, tells each that does not become the
 * same dataset, and gives whether all did.
 */
export async function runTorn(): Promise<boolean> {
  await using torn = await TornWrites.record();
  process.stdout.write(`torn, ${torn.length} operations\n`);
  let crashes = 0;
  let faulty = 0;
  for await (const report of torn.resumeFrom(() => true)) {
    crashes++;
    if (report.faults.length === 0) continue;
    faulty++;
    process.stdout.write(`${printCrash(report)}\n`);
  }
  process.stdout.write(
    `crashes | identical\n${String(crashes).padStart(7)} | ${String(crashes - faulty).padStart(9)}\n`,
  );
  return faulty === 0;
}

function printCrash({ operations, crash, faults }: CrashReport): string {
  return `${crash} after ${operations} operations: ${faults.join('; ')}`;
}
