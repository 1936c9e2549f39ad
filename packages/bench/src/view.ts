import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DataDesigner } from 'data-designer';
import { whyNoBrowser } from '../test/chromium.ts';
import type { BenchRow } from './spine.ts';
import { EIGHT_COLUMNS } from './sampled-columns.ts';
import { liveAnswers, watchedRuns } from './view/live-answers.ts';
import { longTrace } from './view/long-trace.ts';
import { openPage, peakMb, quantile, startViewer, timeTo } from './view/open-page.ts';
import { staticCopy } from './view/static-copy.ts';

const JUMPS = 100;
const PAGE = 100;

/**
 * `data-designer view`: a dataset of a million rows (`--rows`) and its static copy, and in a browser a long conversation (`--trace-mb`), answers as
 * they arrive (`--answers`), and runs with a viewer (`--pairs`, `--run-rows`).
 */
export async function view(): Promise<readonly BenchRow[]> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      rows: { type: 'string', default: '1000000' },
      'trace-mb': { type: 'string', default: '100' },
      answers: { type: 'string', default: '40' },
      pairs: { type: 'string', default: '9' },
      'run-rows': { type: 'string', default: '6000' },
    },
  });
  const numRecords = Number(values.rows);
  const home = mkdtempSync(join(tmpdir(), 'bench-view-'));
  try {
    const { path } = await makeRows(home, numRecords);
    const rows = [...(await served(path, numRecords))];
    if (whyNoBrowser) throw new Error(`The other figures need a browser: ${whyNoBrowser}.`);
    rows.push(await jumpsInBrowser(path, numRecords));
    rows.push(...(await staticCopy(home, path, numRecords)));
    rows.push(...(await longTrace(home, Number(values['trace-mb']))));
    rows.push(...(await liveAnswers(home, Number(values.answers))));
    rows.push(...(await watchedRuns(home, { pairs: Number(values.pairs), rows: Number(values['run-rows']) })));
    return rows;
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function makeRows(home: string, numRecords: number): Promise<{ readonly path: string }> {
  await using designer = new DataDesigner({ artifactPath: home });
  const declared = { document: { columns: EIGHT_COLUMNS }, source: 'bench' };
  const { path } = await designer.create(declared, { numRecords, datasetName: 'rows' });
  return { path };
}

/** The positions of jumps, spread over the table. */
function jumpPositions(rows: number): readonly number[] {
  return Array.from({ length: JUMPS }, (_, jump) => Math.floor((rows - PAGE) * ((jump * 0.618) % 1)));
}

async function served(folder: string, rows: number): Promise<readonly BenchRow[]> {
  const startedAt = performance.now();
  await using viewer = await startViewer(folder);
  const [origin = '', token] = viewer.address.split('/#t=');
  const post = (name: string, body: object, headers = {}) =>
    fetch(`${origin}/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const cookie = (await post('token', { token })).headers.get('set-cookie')?.split(';')[0] ?? '';
  const timed = async (name: string, body: object): Promise<number> => {
    const begunAt = performance.now();
    const answer = await post(name, { dataset: 'rows', ...body }, { cookie });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
    return performance.now() - begunAt;
  };
  await post('datasets', {}, { cookie });
  await timed('rows', { from: 0, count: PAGE });
  const firstMs = performance.now() - startedAt;
  const jumps: number[] = [];
  for (const from of jumpPositions(rows)) jumps.push(await timed('rows', { from, count: PAGE }));
  const pagingMb = peakMb(viewer.pid);
  const where = [{ column: 'u0', op: 'more', value: 0.5 }];
  const filterMs = await timed('rows', { from: 0, count: PAGE, filter: { where } });
  const sort = [{ column: 'g0', descending: true }];
  const sortMs = await timed('rows', { from: 0, count: PAGE, filter: { sort } });
  return [
    { what: 'from the command to the first page', figures: { ms: firstMs } },
    { what: 'jump to a row, 95th percentile', figures: { ms: quantile(jumps, 0.95) } },
    { what: 'memory of the server while paging', figures: { MB: pagingMb } },
    { what: 'filter on one column', figures: { ms: filterMs } },
    { what: 'sort by one column, with its first page', figures: { ms: sortMs } },
  ];
}

/** The time from a jump to the cells of the row in the page. */
async function jumpsInBrowser(folder: string, rows: number): Promise<BenchRow> {
  await using viewer = await startViewer(folder);
  await using opened = await openPage(viewer.address);
  const { page } = opened;
  const jumps: number[] = [];
  await timeTo(page, 'table', '[role=gridcell][data-row="0"]:not(:has(.loading))');
  for (const at of jumpPositions(rows)) {
    jumps.push(await timeTo(page, `table?at=${at}`, `[role=gridcell][data-row="${at}"]:not(:has(.loading))`));
  }
  return { what: 'jump to a row in the browser, 95th percentile', figures: { ms: quantile(jumps, 0.95) } };
}
