import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';
import { EIGHT_COLUMNS } from './sampled-columns.ts';

const rows = Number(process.argv[2]);
const artifactPath = mkdtempSync(join(tmpdir(), 'bench-'));
const start = performance.now();
{
  await using designer = new DataDesigner({ artifactPath });
  const { count } = await designer.create(
    { document: { columns: EIGHT_COLUMNS }, source: 'bench' },
    { numRecords: rows },
  );
  if (count !== rows) throw new Error(`${count} of ${rows} rows`);
}
const runMs = performance.now() - start;
rmSync(artifactPath, { recursive: true });
process.stdout.write(JSON.stringify({ runMs, peakMb: process.resourceUsage().maxRSS / 1024 }));
