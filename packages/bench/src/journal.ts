import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { folderJournal } from '@data-designer/dataset/journal';
import { GatewayHost, Journal } from '@data-designer/gateway';
import { measure, median, quantile } from './measure.ts';
import { openBench } from './open-bench.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

const ROWS = 10_000;
/** Runs of each kind, one after the other by turns: what else the machine does meets both alike. */
const TURNS = 21;
/** Row groups whose answers are kept without a run around it, of so many rows. */
const GROUPS = 200;
const GROUP_ROWS = 1_000;
/** So many answers are written at once in the runs above, counted there. */
const ANSWERS_A_WRITE = 16;
/** So long the answers of a thousand rows take to come in there: what is synced by the clock is, here too. */
const GROUP_MS = 100;

/** What the journal adds to a cell of a language model, all threads of this process, warm. */
export async function journal(): Promise<readonly BenchRow[]> {
  await using responder = await startResponder();
  await using bench = await openBench(responder.endpoint);
  const cpuUs = async (): Promise<number> => {
    const took = await measure(() => bench.create({ rows: ROWS, columns: 1, inFlight: 64 }));
    return took.cpuUs / ROWS;
  };
  await cpuUs();
  const withJournal: number[] = [];
  const withoutJournal: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    withJournal.push(await cpuUs());
    using _ = withoutJournals();
    withoutJournal.push(await cpuUs());
  }
  const [withUs, withoutUs] = [median(withJournal), median(withoutJournal)];
  // Two runs that follow each other meet the same machine, more or less.
  const differences = withJournal.map((us, turn) => us - (withoutJournal[turn] ?? NaN));
  const spread = { 'a quarter below': quantile(differences, 0.25), 'a quarter above': quantile(differences, 0.75) };
  return [
    { what: `${ROWS} text cells without a journal`, figures: { 'CPU us/cell': withoutUs } },
    {
      what: `${ROWS} text cells with a journal`,
      figures: { 'CPU us/cell': withUs, 'us for it': median(differences), ...spread },
    },
    // What is left when the machine did least else.
    { what: 'the least of each', figures: { 'us for it': Math.min(...withJournal) - Math.min(...withoutJournal) } },
    { what: `${GROUPS * GROUP_ROWS} such answers into journals, no run around it`, figures: await alone(responder) },
  ];
}

/** What the same answers cost a journal by itself: opening, encoding, writing, syncing and taking away. */
async function alone({ endpoint }: { readonly endpoint: string }): Promise<{ readonly 'us for it': number }> {
  const answer = await fetch(`${endpoint}/chat/completions`, { method: 'POST', body: '{}' });
  const body = await answer.text();
  const record = {
    column: 'text_0',
    call: 0,
    request: createHash('sha256').update(body).digest('hex'),
    status: answer.status,
    headers: { 'content-type': 'application/json' },
    body,
    resource: 'model/bench/bench',
    path: 'chat/completions',
  } as const;
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  const { cpuUs: idleUs } = await measure(() => sleep(GROUPS * GROUP_MS));
  const took = await measure(async () => {
    for (let group = 0; group < GROUPS; group++) {
      const opened = Journal.open(folderJournal(join(folder, `group_${group}`)));
      for (let row = 0; row < GROUP_ROWS; row++) {
        opened.append({ row, ...record });
        if ((row + 1) % ANSWERS_A_WRITE === 0) opened.write();
      }
      opened.write();
      await sleep(GROUP_MS);
      await opened.close({ keep: false });
    }
  });
  rmSync(folder, { recursive: true });
  return { 'us for it': (took.cpuUs - idleUs) / (GROUPS * GROUP_ROWS) };
}

/** No run has a choice: for the bench alone the gateway is told of no journal, as in a preview. */
function withoutJournals(): Disposable {
  const host = GatewayHost.prototype;
  const openGroup = Reflect.get(host, 'openGroup');
  host.openGroup = function open(group) {
    return openGroup.call(this, group, null);
  };
  return { [Symbol.dispose]: () => void (host.openGroup = openGroup) };
}
