// Draws docs/guide/view/*.png: the pages of `data-designer view` over small datasets of the built-in simulator.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, loadDataset, openViewer } from 'data-designer';
import { startSimulator } from '@data-designer/simulator';
import { openBrowser } from '../../packages/bench/test/chromium.ts';
import { shownDataset } from '../../test/viewed-datasets.ts';

const TO = join(import.meta.dirname, '..', 'guide', 'view');
const SIZE = { width: 1280, height: 800 };

/** The view of each picture of a finished dataset. */
const VIEWS: Readonly<Record<string, string>> = {
  overview: 'overview',
  table: 'table?pin=topic',
  record: 'record/5',
  config: 'config',
  compare: 'compare',
};

/** The answers of the run on the Live page. */
const ANSWERS = 30;

const folder = mkdtempSync(join(tmpdir(), 'view-pictures-'));
const browser = await openBrowser();
try {
  mkdirSync(TO, { recursive: true });
  const shown = await shownDataset(folder, 'facts');
  const results = await loadDataset(shown);
  await results.addReview({ row: 0, verdict: 'accept', rating: 5, author: 'ada' });
  await results.addReview({ row: 1, verdict: 'reject', comment: 'Off topic.', author: 'ada' });
  await results.addReview({ row: 5, verdict: 'accept', rating: 4, comment: 'Good, and short.', author: 'ada' });
  await draw(shown, VIEWS, { compare: await shownDataset(folder, 'facts-2', { seed: 2 }) });
  await drawRun();
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

/** Draws views of a folder. */
async function draw(
  path: string,
  views: Readonly<Record<string, string>>,
  options: Parameters<typeof openViewer>[1] = {},
): Promise<void> {
  await using viewer = await openViewer(path, options);
  const page = await browser.newPage();
  await page.setViewport(SIZE);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  await page.goto(viewer.address);
  await page.waitForSelector('main');
  for (const [name, view] of Object.entries(views)) {
    await page.evaluate((hash) => void (location.hash = hash), `#/${view}`);
    await page.waitForNetworkIdle({ idleTime: 800, concurrency: 1 });
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
    await page.screenshot({ path: join(TO, `${name}.png`) });
  }
  await page.close();
}

/** Draws a run that waits for answers, then the cells of it that failed. */
async function drawRun(): Promise<void> {
  await using simulator = await startSimulator('--latency', '50');
  await simulator.holdAfter(ANSWERS);
  const models = [{ name: 'local', endpoint: simulator.url }];
  await using designer = new DataDesigner({
    artifactPath: folder,
    providers: { models },
    runConfig: { seed: 1, bufferSize: 20, maxConversationRestarts: 0, disableEarlyShutdown: true },
  });
  const schema = { type: 'object', properties: { level: { type: 'integer' } }, required: ['level'] };
  const topics = ['bees', 'coffee', 'the moon', 'paper', 'salt'];
  const document = {
    model_configs: [model('writer', 'sim-small'), model('careless', 'sim-wrong-schema')],
    columns: [
      { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: topics } },
      { name: 'fact', column_type: 'llm-text', model_alias: 'writer', prompt: 'Tell me something about {{ topic }}.' },
      {
        name: 'level',
        column_type: 'llm-structured',
        model_alias: 'careless',
        output_format: schema,
        skip: { when: '{{ topic != "salt" }}' },
        prompt: 'How hard is this to understand, from 1 to 5? {{ fact }}',
      },
    ],
  };
  const begun = Promise.withResolvers<string>();
  const made = designer.create(
    { document, source: 'a picture' },
    {
      numRecords: 40,
      datasetName: 'levels',
      onEvent: (event) => event.type === 'run-start' && begun.resolve(event.path),
    },
  );
  const path = await begun.promise;
  while ((await simulator.stats()).answers < ANSWERS) await new Promise((resolve) => setTimeout(resolve, 50));
  await draw(path, { live: 'live' });
  await simulator.release();
  await made;
  await draw(path, { failures: 'failures' });
}

function model(alias: string, name: string): object {
  return { alias, model: name, provider: 'local', structured_output: false };
}
