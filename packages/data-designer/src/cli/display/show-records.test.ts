import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { RecordDisplay } from '../../records/sample-record/record-display.ts';
import { browseRecords } from './show-records.ts';

/** What is shown for keys that are pressed, and whether the terminal was raw meanwhile and is no longer. */
async function shownFor(keys: string, { first = 0 } = {}) {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => void modes.push(isRaw) });
  const output = new PassThrough();
  const said = text(output);
  const display = new RecordDisplay({
    title: 'Three',
    layout: [{ name: 'name', shown: { as: 'value' } }],
    count: 3,
    recordAt: (index) => Promise.resolve({ name: `record ${'abc'[index]}` }),
    processed: [],
    pictureAt: () => Promise.resolve(undefined),
  });
  const browsing = browseRecords(display, { input, output }, { first });
  input.write(keys);
  await browsing;
  output.end();
  const records = stripVTControlCharacters(await said).matchAll(/record ([abc])/g);
  return { records: [...records].map(([, name]) => name).join(''), modes };
}

test.each([
  ['n and Enter go on, and the first comes after the last', 'n\rnq', 'abca'],
  ['p goes back, and the last comes before the first', 'ppq', 'acb'],
  ['arrows do too', '\u001b[C\u001b[C\u001b[Dq', 'abcb'],
  ['other keys do nothing', 'xyz nq', 'ab'],
  ['Ctrl-C is an end', 'n\u0003', 'ab'],
  ['Ctrl-N is no n', '\u000eq', 'a'],
])('%s', async (_, keys, records) => {
  expect(await shownFor(keys)).toEqual({ records, modes: [true, false] });
});

test('browsing begins where it is told to', async () => {
  expect((await shownFor('nq', { first: 2 })).records).toBe('ca');
});

test('a terminal that goes away is an end', async () => {
  const input = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const display = new RecordDisplay({
    title: 'One',
    layout: [],
    count: 2,
    recordAt: () => Promise.resolve({}),
    processed: [],
    pictureAt: () => Promise.resolve(undefined),
  });
  input.end();
  const browsing = browseRecords(display, { input, output: new PassThrough().resume() }, { first: 0 });
  await expect(browsing).resolves.toBeUndefined();
});
