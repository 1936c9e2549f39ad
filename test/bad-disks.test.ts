import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { dataDesigner, runCommand, startDataDesigner } from './command-line.ts';
import { countedDataset, type CountedDataset, IN_FLIGHT, NAME, ROWS, rowsBelow } from './counted-dataset.ts';

let folder: string;
let place: string;
let dataset: CountedDataset;
/** What a run makes that nobody disturbs. */
let undisturbed: { readonly rows: readonly unknown[]; readonly answers: number };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bad-disks-'));
  dataset = await countedDataset(folder, '--latency', '40');
  await runCommand(dataset.create(folder));
  undisturbed = { rows: await rowsBelow(folder), answers: (await dataset.simulator.stats()).answers };
}, 300_000);

beforeEach(async () => {
  await fetch(`${dataset.simulator.origin}/stats/reset`, { method: 'POST' });
  place = mkdtempSync(join(folder, 'place-'));
});

afterAll(async () => {
  await dataset[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Goes on with the dataset, which must become what an undisturbed run makes, with so little bought twice. */
async function expectWholeAfterResume(boughtTwice: number): Promise<void> {
  expect(await runCommand(dataset.create(place, '-r', 'always'))).toMatchObject({ code: 0 });
  expect(undisturbed.rows).toHaveLength(ROWS);
  expect(await rowsBelow(place)).toEqual(undisturbed.rows);
  const { answers, distinctAnswers } = await dataset.simulator.stats();
  // Nothing was asked for in other words.
  expect(distinctAnswers).toBe(undisturbed.answers);
  expect(answers - distinctAnswers).toBeLessThanOrEqual(boughtTwice);
}

async function untilAnswers(answers: number): Promise<void> {
  while ((await dataset.simulator.stats()).answers < answers) await sleep(40);
}

/** A run that was killed, of which each test takes a copy. */
let killed: Promise<{ readonly place: string; readonly answers: number }> | undefined;

/** Kills a run after so many answers. */
async function killAfter(answers: number): Promise<{ readonly place: string; readonly answers: number }> {
  const into = mkdtempSync(join(folder, 'killed-'));
  await dataset.simulator.holdAfter(answers + IN_FLIGHT);
  const run = startDataDesigner(dataset.create(into));
  await untilAnswers(answers);
  run.child.kill('SIGKILL');
  await run.finished;
  const received = await dataset.simulator.stats();
  await dataset.simulator.release();
  return { place: into, answers: received.answers };
}

const DAMAGES: readonly { what: string; spoil: (journal: string) => void }[] = [
  { what: 'cut short', spoil: (journal) => truncateSync(journal, statSync(journal).size - 10) },
  {
    what: 'followed by garbage',
    spoil: (journal) => appendFileSync(journal, Buffer.from('\x00\x10\x00\x00garbage'.repeat(50))),
  },
  {
    what: 'followed by zeros, as a power cut leaves them',
    spoil: (journal) => appendFileSync(journal, Buffer.alloc(4096)),
  },
];

for (const { what, spoil } of DAMAGES)
  test(`a journal that is ${what} loses at most its last entry`, { timeout: 300_000, tags: 'long' }, async () => {
    const { place: left, answers: received } = await (killed ??= killAfter(40));
    cpSync(left, place, { recursive: true });
    const folders = join(place, NAME, 'journal');
    const journals = readdirSync(folders).map((name) => join(folders, name, '000001.journal'));
    const written = journals.filter((journal) => statSync(journal).size > 100);
    expect(written.length).toBeGreaterThan(0);
    for (const journal of written) spoil(journal);
    await fetch(`${dataset.simulator.origin}/stats/reset`, { method: 'POST' });
    expect(await runCommand(dataset.create(place, '-r', 'always'))).toMatchObject({ code: 0 });
    expect(await rowsBelow(place)).toEqual(undisturbed.rows);
    const { answers, distinctAnswers } = await dataset.simulator.stats();
    expect(answers).toBeGreaterThan(0);
    // Of the answers that the killed run received, these are requested again: the last of each journal and those in flight.
    expect(distinctAnswers + received - undisturbed.answers).toBeLessThanOrEqual(IN_FLIGHT + written.length);
  });

/** Makes the place a file system of 16 MB with so many bytes left; undefined where none may be mounted. */
function smallDisk(bytesLeft: number): { free: () => void; end: () => void } | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', place], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const { bsize, bavail } = statfsSync(place);
  const filler = join(place, 'filler');
  writeFileSync(filler, Buffer.alloc(bsize * bavail - bytesLeft, 1));
  return { free: () => rmSync(filler), end: () => execFileSync('umount', [place]) };
}

for (const { when, left, tags } of [
  { when: 'early', left: 60_000, tags: ['long'] },
  { when: 'late', left: 92_000, tags: [] },
])
  test(
    `a disk that is full ${when} ends the run in words; with room it goes on`,
    { timeout: 300_000, tags },
    async ({ skip }) => {
      const disk = smallDisk(left) ?? skip('no file system may be mounted here');
      try {
        const full = await dataDesigner(dataset.create(place));
        expect(full.stderr).toContain('[dataset/disk-full]');
        expect(full.stderr).toContain('start the command again; for a run, add --resume always');
        expect(full.code).toBe(1);
        disk.free();
        // Those that had come in when the disk was found full, and those that were under way then.
        await expectWholeAfterResume(2 * IN_FLIGHT);
      } finally {
        disk.end();
      }
    },
  );

/** How to start a program that heeds the rights of files: the superuser does not, unless told to. */
const HEEDING =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override', '--inh-caps', '-dac_override'] : [];

for (const name of ['parquet-files', 'journal', '.'])
  test(
    `a run whose folder ${name} becomes read-only fails with a clear error and can be resumed once it is writable`,
    { timeout: 300_000, tags: 'long' },
    async ({ skip }) => {
      if (!canHeed()) skip('the superuser cannot be bound to the rights of files here');
      await dataset.simulator.holdAfter(15 + IN_FLIGHT);
      const run = startDataDesigner(dataset.create(place), {}, HEEDING);
      await untilAnswers(15);
      chmodSync(join(place, NAME, name), 0o500);
      await dataset.simulator.release();
      const ended = await run.finished;
      chmodSync(join(place, NAME, name), 0o700);
      expect(ended.stderr).toMatch(/\[dataset\/unwritable\]: Cannot write to .*: permission is denied\./);
      expect(ended.code).toBe(1);
      await expectWholeAfterResume(IN_FLIGHT);
    },
  );

function canHeed(): boolean {
  const words = [...HEEDING, 'true'];
  return spawnSync(words[0] as string, words.slice(1)).status === 0;
}
