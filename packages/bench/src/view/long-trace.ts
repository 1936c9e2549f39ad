import { join } from 'node:path';
import { DataDesigner } from 'data-designer';
import { fieldsOf, itemsOf, type Row } from '@data-designer/core';
import { batchFiles, datasetPaths, exportRows, readDataset, readRunRecord } from '@data-designer/dataset';
import type { BenchRow } from '../spine.ts';
import { openPage, startViewer, timeTo } from './open-page.ts';

const MESSAGE_CHARACTERS = 50_000;
const CONVERSATION = '[data-column="answer"]';

/** The record of a row with a long conversation: its first screen, and further messages. */
export async function longTrace(home: string, megabytes: number): Promise<readonly BenchRow[]> {
  const folder = await makeDataset(home, megabytes);
  await using viewer = await startViewer(folder);
  await using opened = await openPage(viewer.address);
  const { page } = opened;
  const firstMs = await timeTo(page, 'record/1', CONVERSATION);
  await page.click(`${CONVERSATION} details:last-of-type > summary`);
  const begunAt = performance.now();
  await page.click('.conversation > button');
  await page.waitForFunction(() => document.querySelectorAll('.conversation > ol > li').length > 20);
  return [
    { what: `a trace of ${megabytes} MB: its first screen`, figures: { ms: firstMs } },
    { what: 'the same: its next 50 messages', figures: { ms: performance.now() - begunAt } },
  ];
}

/** A dataset of three rows, the second one with a long conversation. */
async function makeDataset(home: string, megabytes: number): Promise<string> {
  await using designer = new DataDesigner({ artifactPath: home });
  const document = {
    model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
    columns: [
      { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: ['salt'] } },
      {
        name: 'answer',
        column_type: 'llm-text',
        model_alias: 'writer',
        with_trace: 'all_messages',
        prompt: 'About {{ topic }}',
      },
    ],
  };
  const { path } = await designer.create({ document, source: 'bench' }, { numRecords: 3, datasetName: 'trace' });
  const rows = await Array.fromAsync(readDataset(path));
  const paths = datasetPaths(path);
  const { plan } = await readRunRecord(paths);
  async function* records() {
    for (const [at, row] of rows.entries()) yield at === 1 ? withLongTrace(row, megabytes * 1e6) : row;
  }
  const [file] = await batchFiles(paths);
  await exportRows({ records: records(), fields: plan.fields }, file?.path ?? join(path, 'missing'), 'parquet');
  return path;
}

/** The row with its messages repeated, each with a text of its own. */
function withLongTrace(row: Row, characters: number): Row {
  const messages = itemsOf(row['answer__trace']).map(fieldsOf);
  const words = new Words();
  const count = Math.ceil(characters / MESSAGE_CHARACTERS);
  const trace = Array.from({ length: count }, (_, at) => ({
    ...messages[at % messages.length],
    content: words.text(MESSAGE_CHARACTERS),
  }));
  return { ...row, answer__trace: trace };
}

/** Texts that compress about as well as prose. */
class Words {
  #state = 1;

  text(characters: number): string {
    let text = '';
    while (text.length < characters) {
      this.#state = (this.#state * 1_103_515_245 + 12_345) % 2_147_483_648;
      text += `${(this.#state % 30_000).toString(36)} `;
    }
    return text;
  }
}
