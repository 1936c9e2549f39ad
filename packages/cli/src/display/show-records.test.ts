import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { RecordDisplay } from '../../../results/src/records/sample-record/record-display.ts';
import { browseRecords } from './show-records.ts';

/** The records shown for the pressed keys, and the changes of the terminal's raw mode. */
async function shownFor(keys: string, { first = 0 } = {}) {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => void modes.push(isRaw) });
  const output = new PassThrough();
  const said = text(output);
  const display = new RecordDisplay({
    title: 'Three',
    plan: { columns: [], models: {}, fields: [{ name: 'name', type: 'utf8', nullable: false }] },
    types: new Map(),
    count: 3,
    recordAt: (index) => Promise.resolve({ name: `record ${'abc'[index]}` }),
    processed: [],
    folder: null,
  });
  const browsing = browseRecords(display, { input, output }, { first });
  input.write(keys);
  await browsing;
  output.end();
  const records = stripVTControlCharacters(await said).matchAll(/record ([abc])/g);
  return { records: [...records].map(([, name]) => name).join(''), modes };
}

test.each([
  ['n and Enter show the next record, and the first after the last', 'n\rnq', 'abca'],
  ['p shows the previous record, and the last before the first', 'ppq', 'acb'],
  ['arrow keys show the next and the previous record', '\u001b[C\u001b[C\u001b[Dq', 'abcb'],
  ['other keys do nothing', 'xyz nq', 'ab'],
  ['Ctrl-C ends browsing', 'n\u0003', 'ab'],
  ['Ctrl-N does nothing', '\u000eq', 'a'],
])('%s', async (_, keys, records) => {
  expect(await shownFor(keys)).toEqual({ records, modes: [true, false] });
});

test('browsing begins at the given record', async () => {
  expect((await shownFor('nq', { first: 2 })).records).toBe('ca');
});

test('browsing ends when the terminal closes', async () => {
  const input = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const display = new RecordDisplay({
    title: 'One',
    plan: { columns: [], models: {}, fields: [] },
    types: new Map(),
    count: 2,
    recordAt: () => Promise.resolve({}),
    processed: [],
    folder: null,
  });
  input.end();
  const browsing = browseRecords(display, { input, output: new PassThrough().resume() }, { first: 0 });
  await expect(browsing).resolves.toBeUndefined();
});
