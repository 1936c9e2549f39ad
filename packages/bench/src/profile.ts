import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DataDesigner } from 'data-designer';
import { EIGHT_COLUMNS } from './sampled-columns.ts';
import type { BenchRow } from './spine.ts';

const PROFILE_TABLE = fileURLToPath(new URL('profile-table.ts', import.meta.url));
const ROWS = 1_000_000;

/** Eight samplers, texts that are all different, and texts of a few kinds. */
const TEN_COLUMNS = [
  ...EIGHT_COLUMNS,
  { name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} },
  { name: 'place', columnType: 'expression', expr: 'to the {{ c1 }}, where {{ c0 }} grows' },
];

interface ProfiledTable {
  readonly profileMs: number;
  readonly reportMs: number;
  readonly htmlBytes: number;
  readonly records: number;
  readonly columns: number;
  readonly peakMb: number;
}

/** What the profile of a table of ten columns takes, in a process of its own. */
export async function profile(): Promise<readonly BenchRow[]> {
  const artifactPath = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    await using designer = new DataDesigner({ artifactPath });
    const document = { document: { columns: TEN_COLUMNS }, source: 'bench' };
    const { path } = await designer.create(document, { numRecords: ROWS });
    const { stdout } = await promisify(execFile)(process.execPath, [PROFILE_TABLE, path]);
    const { profileMs, reportMs, htmlBytes, records, columns, peakMb }: ProfiledTable = JSON.parse(stdout);
    const figures = {
      s: profileMs / 1000,
      'peak MB': peakMb,
      'ms for the page': reportMs,
      'kB of HTML': htmlBytes / 1000,
    };
    return [{ what: `the profile of ${records} rows x ${columns} columns`, figures }];
  } finally {
    rmSync(artifactPath, { recursive: true });
  }
}
