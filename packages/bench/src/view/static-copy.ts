import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { serveFolder } from '../../test/file-server.ts';
import type { BenchRow } from '../spine.ts';
import { PROGRAM } from '../start/run-built.ts';
import { openPage, peakMb, quantile, timeTo } from './open-page.ts';

const FIRST_ROW = '[role=gridcell][data-row="0"]:not(:has(.loading))';
const JUMPS = 40;

/** `data-designer view --bundle` of a dataset of `EIGHT_COLUMNS`, and its pages in a browser. */
export async function staticCopy(home: string, folder: string, rows: number): Promise<readonly BenchRow[]> {
  const to = join(home, 'site');
  const { seconds, megabytes } = await writeCopy(folder, to);
  const sizes = readdirSync(to, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(to, name)));
  const files = sizes.filter((facts) => facts.isFile());
  return [
    { what: `a static copy of ${rows} rows`, figures: { s: seconds, 'MB memory': megabytes } },
    {
      what: 'the same: its files',
      figures: { MB: files.reduce((sum, { size }) => sum + size, 0) / 1e6, files: files.length },
    },
    ...(await browsed(to, { rows, hasRanges: true })),
    ...(await browsed(to, { rows, hasRanges: false })),
  ];
}

async function writeCopy(folder: string, to: string): Promise<{ seconds: number; megabytes: number }> {
  const begunAt = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'view', folder, '--bundle', to], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let megabytes = 0;
  const look = setInterval(() => (megabytes = Math.max(megabytes, peakMb(child.pid ?? 0))), 50);
  const [code] = (await once(child, 'exit')) as [number];
  clearInterval(look);
  if (code !== 0) throw new Error(`view --bundle ended with ${code}`);
  return { seconds: (performance.now() - begunAt) / 1000, megabytes };
}

/** The times of a copy in a new browser, the memory of its page, and the bytes that the server sent. */
async function browsed(
  to: string,
  { rows, hasRanges }: { readonly rows: number; readonly hasRanges: boolean },
): Promise<readonly BenchRow[]> {
  await using server = await serveFolder(to, { hasRanges });
  const begunAt = performance.now();
  await using opened = await openPage(server.address);
  const { page, browserPid } = opened;
  await timeTo(page, 'table', FIRST_ROW);
  const firstMs = performance.now() - begunAt;
  const firstMb = server.sentBytes() / 1e6;
  const jumps: number[] = [];
  for (let jump = 0; jump < JUMPS; jump++) {
    const at = Math.floor((rows - 100) * ((jump * 0.618) % 1));
    jumps.push(await timeTo(page, `table?at=${at}`, `[role=gridcell][data-row="${at}"]:not(:has(.loading))`));
  }
  const isShown = `.table-page:has(.chips):has(.row-count[aria-busy=false]) ${FIRST_ROW}`;
  const condition = { column: 'u0', op: 'more', value: 0.5 };
  const filterMs = await timeTo(page, `table?c=${encodeURIComponent(JSON.stringify(condition))}`, isShown);
  await timeTo(page, 'overview', 'main h2');
  const sortMs = await timeTo(page, 'table?sort=g0:desc', isShown);
  await timeTo(page, 'overview', 'main h2');
  const searchMs = await timeTo(page, 'table?q=kelp', isShown);
  const where = hasRanges ? 'in a browser' : 'from a server without ranges';
  return [
    { what: `the copy ${where}: its first page`, figures: { ms: firstMs, 'MB sent': firstMb } },
    { what: 'the same: a jump, 95th percentile', figures: { ms: quantile(jumps, 0.95) } },
    { what: 'the same: a filter, a sort, a search', figures: { ms: filterMs, 'ms ': sortMs, ' ms': searchMs } },
    {
      what: 'the same: memory of the page, all bytes sent',
      figures: { MB: rendererMb(browserPid), 'MB sent': server.sentBytes() / 1e6 },
    },
  ];
}

/** The largest memory of a process that draws pages; 0 where the system does not tell. */
function rendererMb(browserPid: number): number {
  return Math.max(0, ...childrenOf(browserPid).filter(isRenderer).map(peakMb));
}

function isRenderer(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer');
  } catch {
    return false;
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const own = text === '' ? [] : text.split(' ').map(Number);
    return [...own, ...own.flatMap(childrenOf)];
  } catch {
    return [];
  }
}
