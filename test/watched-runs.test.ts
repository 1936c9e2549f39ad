import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesignerConfigBuilder, openViewer } from 'data-designer';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, whyNoBrowser } from '../packages/bench/test/chromium.ts';
import { holdAfter, untilHeld } from '../packages/cluster/test/made-datasets.ts';
import { NO_REDIS } from '../packages/cluster/test/start-redis.ts';
import { GROUP, LIMIT_MS, TestCluster, TestMachines } from '../packages/cluster/test/test-cluster.ts';
import { until } from '@data-designer/testing/until';
import { startDataDesigner } from './command-line.ts';
import { type CountedDataset, countedDataset, NAME, rowsBelow } from './counted-dataset.ts';
import { go, openPage, openWhenThere, textOf, untilText, WAIT } from './opened-page.ts';

const ROWS = 48;

describe.skipIf(whyNoBrowser)(`a run in the browser${whyNoBrowser ? ` (skipped: ${whyNoBrowser})` : ''}`, () => {
  let folder: string;
  let browser: Browser;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'watched-runs-'));
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  /** A dataset of small row groups below a folder of its own, at a server that holds the requests after the first 20. */
  async function heldDataset(name: string): Promise<CountedDataset & { readonly home: string; readonly path: string }> {
    const home = join(folder, name);
    const dataset = await countedDataset(home, '--latency', '20');
    // With 24 row groups, some are finished and others are not, in whatever order the 160 answers arrive.
    writeFileSync(join(home, 'settings.json'), JSON.stringify({ buffer_size: 2 }));
    await dataset.simulator.holdAfter(20);
    return Object.assign(dataset, { home, path: join(home, NAME) });
  }

  test('answers and rows appear while a run makes them, and a killed run is shown as such, with its rates', async () => {
    await using dataset = await heldDataset('killed');
    const run = startDataDesigner(dataset.create(dataset.home, '-n', `${ROWS}`));
    {
      await using live = await openWhenThere(dataset.path);
      await using opened = await openPage(live.address, browser);
      const { page } = opened;
      await page.waitForSelector('[data-state=running]', WAIT);
      await go(page, 'live');
      await page.waitForSelector('.answers > li', WAIT);
      // The calls of a cell are numbered one after the other; the first one shows no number.
      const calls = await page.$$eval('.answers > li', (answers) =>
        answers.map(({ textContent }) => {
          const [, row = '', call = '1'] = /^Planned row (\d+), fact.*?(?: · call (\d+))? · /.exec(textContent) ?? [];
          return `${row}: ${call}`;
        }),
      );
      expect(calls.length).toBeGreaterThan(1);
      expect(new Set(calls).size).toBe(calls.length);
      // The cells that exist are in the table before their rows are finished.
      await go(page, 'table');
      await page.waitForSelector('[aria-label="Rows in the making"] td', WAIT);
      await page.waitForFunction(
        () =>
          [...document.querySelectorAll('[aria-label="Rows in the making"] td')].some(
            ({ textContent }) => textContent !== '…' && textContent !== '',
          ),
        WAIT,
      );
      await go(page, 'overview');
      // The head and the page count the same rows.
      await page.waitForFunction(() => {
        const counted = /(\d+) of 48 rows/.exec(document.querySelector<HTMLElement>('[data-state]')?.innerText ?? '');
        const facts = document.querySelector<HTMLElement>('.facts dd')?.innerText ?? '';
        return counted !== null && facts.startsWith(`${counted[1]} of 48`);
      }, WAIT);
      await page.waitForSelector('.time-plot', WAIT);
      await dataset.simulator.release(126);
      // The first 20 answers are those of 10 rows at most.
      await page.waitForFunction(() => {
        const text = document.querySelector<HTMLElement>('[data-state]')?.innerText ?? '';
        return Number(/(\d+) of 48 rows/.exec(text)?.[1]) > 10;
      }, WAIT);
      run.child.kill('SIGKILL');
      await run.finished;
      await page.waitForSelector('[data-state=dead]', WAIT);
      expect(await textOf(page, '[data-state=dead]')).toMatch(/ of 48 rows/);
    }
    await using later = await openViewer(dataset.path);
    await using opened = await openPage(later.address, browser);
    await opened.page.waitForSelector('[data-state=dead]', WAIT);
    await opened.page.waitForSelector('.time-plot', WAIT);
  }, 60_000);

  test(
    'a run goes on after its viewer is closed, and a later viewer shows its rates',
    { tags: 'long', timeout: 60_000 },
    async () => {
      await using dataset = await heldDataset('left');
      const run = startDataDesigner(dataset.create(dataset.home, '-n', `${ROWS}`));
      const progress = join(dataset.path, 'progress.json');
      await until(() => (tryRead(progress)?.history.length ?? 0) > 1);
      const viewing = startDataDesigner(['view', dataset.path, '--json']);
      const line = await new Promise<string>((resolve) => viewing.child.stdout?.once('data', resolve));
      await using opened = await openPage(JSON.parse(line).address, browser);
      await opened.page.waitForSelector('[data-state=running]', WAIT);
      viewing.child.kill('SIGINT');
      expect(await viewing.finished).toMatchObject({ code: 0, stderr: '' });
      await untilText(opened.page, '[data-state]', 'no connection to the server');
      await dataset.simulator.release();
      expect((await run.finished).code).toBe(0);
      expect(await rowsBelow(dataset.home)).toHaveLength(ROWS);
      await using later = await openViewer(dataset.path);
      await using finished = await openPage(later.address, browser);
      await finished.page.waitForSelector('[data-state=finished]', WAIT);
      await finished.page.waitForSelector('.time-plot', WAIT);
    },
  );

  test(
    'Ctrl-C ends a run that `create --view` shows as it ends others, and closes the viewer of a finished one',
    { tags: 'long', timeout: 60_000 },
    async () => {
      await using dataset = await heldDataset('shown');
      const begun = startDataDesigner(dataset.create(dataset.home, '-n', `${ROWS}`, '--view'));
      await using opened = await openPage(await shownAddress(begun), browser);
      await opened.page.waitForSelector('[data-state=running]', WAIT);
      begun.child.kill('SIGINT');
      await dataset.simulator.release();
      const { code, stderr } = await begun.finished;
      expect([code, stderr]).toEqual([130, expect.stringContaining('--resume always')]);
      const resumed = startDataDesigner(dataset.create(dataset.home, '-n', `${ROWS}`, '--view', '--resume', 'always'));
      await until(() => resumed.said().includes('The run is over.'));
      await using shown = await openPage(await shownAddress(resumed), browser);
      await shown.page.waitForSelector('[data-state=finished]', WAIT);
      resumed.child.kill('SIGINT');
      expect((await resumed.finished).code).toBe(0);
      expect(await rowsBelow(dataset.home)).toHaveLength(ROWS);
    },
  );

  describe.skipIf(NO_REDIS)('on a cluster', () => {
    test(
      'the machines of a run are listed, and answers of each appear',
      { tags: 'long', timeout: LIMIT_MS },
      async () => {
        await using cluster = await TestCluster.start({ latency: 20 });
        const machines = new TestMachines(cluster);
        try {
          const model = { alias: 'writer', model: 'sim-small', provider: 'own', skipHealthCheck: true };
          const config = new DataDesignerConfigBuilder()
            .addModelConfig({ ...model, inferenceParameters: { maxParallelRequests: 4 } })
            .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
            .addColumn({ name: 'text', columnType: 'llm-text', modelAlias: 'writer', prompt: 'Say {{ id }}.' });
          await holdAfter(cluster.simulator, 0);
          const started = Promise.withResolvers<string>();
          const created = machines.create(config, {
            numRecords: 60,
            datasetName: 'shared',
            onEvent: (event) => event.type === 'run-start' && started.resolve(event.path),
          });
          const path = await started.promise;
          await untilHeld(cluster.simulator, 0);
          await using viewer = await openViewer(path);
          await using opened = await openPage(viewer.address, browser);
          const { page } = opened;
          await go(page, 'live');
          await untilText(page, 'main', 'Row group ');
          // No row group is finished before an answer, so further ones are those of the machine that joins.
          const own = await groupsOn(page);
          const providers = cluster.providersFile();
          const joined = machines.command(['join', path, '--cluster', cluster.redis.address, '--providers', providers]);
          await page.waitForFunction((count) => document.querySelectorAll('.cards h3').length > count, WAIT, own.size);
          const others = (await groupsOn(page)).difference(own);
          while (!(await rowsOn(page)).some((row) => others.has(Math.floor(row / GROUP)))) {
            const before = await textOf(page, 'main');
            await cluster.simulator.release(1);
            await page.waitForFunction(
              (text) => document.querySelector<HTMLElement>('main')?.innerText !== text,
              WAIT,
              before,
            );
          }
          await go(page, 'overview');
          await untilText(page, MACHINES, `${joined.child.pid}`);
          expect(await textOf(page, MACHINES)).toContain(String(process.pid));
          await cluster.simulator.release();
          await created;
          await page.waitForSelector('[data-state=finished]', WAIT);
        } finally {
          await machines.end();
        }
      },
    );
  });
});

const MACHINES = '[aria-label="Machines at work"]';

/** The row groups that the Live page shows. */
async function groupsOn(page: Page): Promise<ReadonlySet<number>> {
  return new Set(
    await page.$$eval('.cards h3', (all) => all.map(({ innerText }) => Number(/\d+/.exec(innerText)?.[0]))),
  );
}

/** The rows of the answers on the Live page. */
function rowsOn(page: Page): Promise<readonly number[]> {
  return page.$$eval('.answers strong', (all) => all.map(({ innerText }) => Number(/\d+/.exec(innerText)?.[0])));
}

/** The address that `create --view` prints. */
async function shownAddress({ said }: ReturnType<typeof startDataDesigner>): Promise<string> {
  await until(() => said().includes('/#t='));
  return /http\S+/.exec(said())?.[0] ?? '';
}

function tryRead(path: string): { readonly history: readonly unknown[] } | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
