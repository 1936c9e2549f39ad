import { writeFileSync } from 'node:fs';

// Loaded ahead of a command: notes at its end what its process has used, in `USAGE_NOTE`.

/** What a process has used. */
export interface UsageNote {
  /** CPU of all its threads. */
  readonly cpuMs: number;
  /** The largest resident memory. */
  readonly peakMb: number;
  /** The resident memory at its end, where it is known. */
  readonly endMb?: number;
}

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cpuMs = (userCPUTime + systemCPUTime) / 1000;
  const used: UsageNote = { cpuMs, peakMb: maxRSS / 1024, endMb: process.memoryUsage.rss() / 1024 / 1024 };
  writeFileSync(process.env.USAGE_NOTE ?? 'usage.json', JSON.stringify(used));
});
