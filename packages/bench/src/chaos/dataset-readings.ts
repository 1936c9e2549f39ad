import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, stringifyJson } from '@data-designer/core';
import { loadDataset, openViewer } from 'data-designer';

/** What a reader returned, or the error that it ended with. */
export type Reading = { readonly answer: string } | { readonly error: string };

/** Reads parts of a dataset, each with its name. */
type Reader = (folder: string, scratch: string) => Promise<ReadonlyMap<string, Reading>>;

/** Reads in each way in which a dataset is read without a run. */
export const READERS: Readonly<Record<string, Reader>> = {
  load: async (folder) => {
    const results = await loadDataset(folder);
    const { count, usage, cost, failedCells } = results;
    return readAll({
      rows: () => Array.fromAsync(results.records()),
      figures: () => orDamages(results, { count, usage, cost, failedCells }),
      'side table': () => Array.fromAsync(results.loadProcessorDataset('chats')),
      failures: () => Array.fromAsync(results.failures()),
      reviews: () => Array.fromAsync(results.reviews()),
      analysis: async () => {
        const { profile } = await results.loadAnalysis();
        if (profile.selection?.damage !== undefined) throw new Error(profile.selection.damage);
        return orDamages(results, profile);
      },
    });
  },
  show: async (folder, scratch) => {
    const display = (await loadDataset(folder, { unfinished: true })).recordDisplay();
    const page = join(scratch, 'page.html');
    return readAll({
      page: async () => {
        await display.savePage([0, 1, 2], page);
        return take(page);
      },
    });
  },
  export: async (folder, scratch) => {
    const results = await loadDataset(folder);
    const exported = (name: string, options: object) => async () => {
      await results.export(join(scratch, name), options);
      return take(join(scratch, name));
    };
    return readAll({
      text: exported('rows.jsonl', {}),
      copy: exported('rows.parquet', {}),
      reviewed: exported('reviewed.jsonl', { reviews: 'columns' }),
      accepted: exported('accepted.jsonl', { acceptedOnly: true }),
      'side table': exported('chats.jsonl', { processor: 'chats' }),
    });
  },
  view: async (folder) => {
    await using viewer = await openViewer(folder);
    const page = await ViewerPage.open(viewer.address);
    const { datasets } = (await page.ask('datasets', {})) as { readonly datasets: readonly [{ readonly id: string }] };
    const dataset = datasets[0].id;
    const asked = (name: string, request: object = {}) =>
      [name, () => page.ask(name, { dataset, ...request })] as const;
    return await readAll({
      ...Object.fromEntries([
        asked('rows', { from: 0, count: 100 }),
        asked('record', { index: 0 }),
        asked('failures'),
        asked('failed-cells', { from: 0, count: 100 }),
        asked('refusals', { from: 0, count: 100 }),
        asked('profile'),
        asked('config'),
        asked('reviews'),
      ]),
      filtered: () => {
        const where = [{ column: 'n', op: 'at-least', value: 15 }];
        return page.ask('rows', { dataset, from: 0, count: 0, filter: { where, search: 'moon' } });
      },
      overview: async () => {
        const overview = (await page.ask('overview', { dataset })) as Readonly<Record<string, unknown>>;
        const { findings } = overview as {
          readonly findings: readonly { readonly about: string; readonly text: string }[];
        };
        const damages = findings.filter(({ about }) => about === 'damaged files').map(({ text }) => text);
        if (damages.length > 0) throw new Error(damages.join(' '));
        return ['usage', 'lost', 'failedCells', 'selection', 'sideTables', 'columns'].map((key) => overview[key]);
      },
      image: () => page.get(`/api/media?dataset=${dataset}&index=0&column=art&kind=image&at=0`),
    });
  },
};

/** What was read; throws where the dataset says which of its files are damaged. */
function orDamages(
  { damages, path }: { readonly damages: readonly string[]; readonly path: string },
  read: object,
): Promise<object> {
  if (damages.length > 0) return Promise.reject(new Error(`${damages.join(' ')} (${path})`));
  return Promise.resolve(read);
}

async function readAll(parts: Readonly<Record<string, () => Promise<unknown>>>): Promise<ReadonlyMap<string, Reading>> {
  const found = new Map<string, Reading>();
  for (const [name, read] of Object.entries(parts)) found.set(name, await readingOf(read));
  return found;
}

/** What is read, as text. */
async function readingOf(read: () => Promise<unknown>): Promise<Reading> {
  try {
    return { answer: stringifyJson(await read()) };
  } catch (thrown) {
    return { error: messageOf(thrown) };
  }
}

function take(path: string): string {
  const text = readFileSync(path, 'latin1');
  rmSync(path);
  return text;
}

/** A page of the viewer. */
class ViewerPage {
  readonly #origin: string;
  readonly #cookie: string;

  private constructor(origin: string, cookie: string) {
    this.#origin = origin;
    this.#cookie = cookie;
  }

  static async open(address: string): Promise<ViewerPage> {
    const [origin = '', token] = address.split('/#t=');
    const shown = await new ViewerPage(origin, '').#send('/api/token', { token });
    return new ViewerPage(origin, shown.headers.get('set-cookie')?.split(';')[0] ?? '');
  }

  async ask(name: string, body: object): Promise<unknown> {
    const answer = (await (await this.#send(`/api/${name}`, body)).json()) as object;
    // It follows from the times of the files.
    return { ...answer, version: undefined };
  }

  async get(path: string): Promise<string> {
    return Buffer.from(await (await this.#send(path)).arrayBuffer()).toString('base64');
  }

  async #send(path: string, body?: object): Promise<Response> {
    const headers = { 'content-type': 'application/json', cookie: this.#cookie, origin: this.#origin };
    const init = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers };
    const response = await fetch(`${this.#origin}${path}`, init);
    if (!response.ok) throw new Error(await response.text());
    return response;
  }
}
