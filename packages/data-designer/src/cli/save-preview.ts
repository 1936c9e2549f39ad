import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDesignerError } from '@data-designer/core';
import type { PreviewResults } from '../records/preview-results.ts';
import type { SampleRecordOptions } from '../records/sample-record/record-display.ts';

/** Saves a preview in a new folder: rows, statistics and a page of records. Returns the folder. */
export async function savePreview(
  results: PreviewResults,
  artifactPath: string,
  options: SampleRecordOptions,
): Promise<string> {
  const folder = await newFolder(artifactPath);
  const analysis = await results.analysis();
  await analysis.toReport({ savePath: join(folder, 'report.html') });
  await results.export(join(folder, 'dataset.parquet'));
  const display = results.recordDisplay();
  await display.savePage(
    Array.from({ length: display.count }, (_, index) => index),
    join(folder, 'sample_records.html'),
    options,
  );
  return folder;
}

/** Makes a folder named after the time, as the Python tool does; a second one in the same second gets a number. */
async function newFolder(artifactPath: string): Promise<string> {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_');
  for (let copy = 1; ; copy++) {
    const folder = join(artifactPath, `preview_results_${time}${copy === 1 ? '' : `_${copy}`}`);
    try {
      await mkdir(artifactPath, { recursive: true });
      await mkdir(folder, { mode: 0o700 });
      return folder;
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      if (code !== 'EEXIST')
        throw new DataDesignerError('dataset/unwritable', { path: folder, reason: message }, { cause: thrown });
    }
  }
}
