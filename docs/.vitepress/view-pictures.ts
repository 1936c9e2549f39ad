// Draws docs/guide/view/*.png: the pages of `data-designer view` over a small dataset of the built-in simulator.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDataset, openViewer } from 'data-designer';
import { openBrowser } from '../../packages/bench/test/chromium.ts';
import { shownDataset } from '../../test/viewed-datasets.ts';

const TO = join(import.meta.dirname, '..', 'guide', 'view');
const SIZE = { width: 1280, height: 800 };

/** The view of each picture. */
const VIEWS: Readonly<Record<string, string>> = {
  overview: 'overview',
  table: 'table?pin=topic',
  record: 'record/3',
  config: 'config',
  compare: 'compare',
};

const folder = mkdtempSync(join(tmpdir(), 'view-pictures-'));
try {
  const shown = await shownDataset(folder, 'facts');
  const results = await loadDataset(shown);
  await results.addReview({ row: 0, verdict: 'accept', rating: 5, author: 'ada' });
  await results.addReview({ row: 1, verdict: 'reject', comment: 'Off topic.', author: 'ada' });
  await results.addReview({ row: 3, verdict: 'accept', rating: 4, comment: 'Good, and short.', author: 'ada' });
  await using viewer = await openViewer(shown, { compare: await shownDataset(folder, 'facts-2', { seed: 2 }) });
  const browser = await openBrowser();
  const page = await browser.newPage();
  await page.setViewport(SIZE);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  await page.goto(viewer.address);
  await page.waitForSelector('main');
  mkdirSync(TO, { recursive: true });
  for (const [name, view] of Object.entries(VIEWS)) {
    await page.evaluate((hash) => void (location.hash = hash), `#/${view}`);
    await page.waitForNetworkIdle({ idleTime: 800, concurrency: 1 });
    await page.screenshot({ path: join(TO, `${name}.png`) });
  }
  await browser.close();
} finally {
  rmSync(folder, { recursive: true });
}
