import { join } from 'node:path';
import { loadDataset } from 'data-designer';

const folder = String(process.argv[2]);
const start = performance.now();
const results = await loadDataset(folder);
const analysis = await results.loadAnalysis();
const profileMs = performance.now() - start;
const page = await analysis.toReport({ savePath: join(folder, 'report.html') });
const { records, columns } = analysis.profile;
process.stdout.write(
  JSON.stringify({
    profileMs,
    reportMs: performance.now() - start - profileMs,
    htmlBytes: Buffer.byteLength(page),
    records,
    columns: columns.length,
    peakMb: process.resourceUsage().maxRSS / 1024,
  }),
);
