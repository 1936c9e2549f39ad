import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { collectionState } from './collection-state.ts';
import { givenSum } from './collection-sum.ts';
import { copyOf, installCollection, refuseUnfit } from './install-collection.ts';

let root: string;
let folder: string;
const signal = new AbortController().signal;

/** Writes a Parquet file of three people. */
async function writePeople(name: string, columns: string): Promise<string> {
  const path = join(root, name);
  await withDuckDb((connection) =>
    connection.run(`COPY (SELECT ${columns} FROM range(3) r(i)) TO '${path}' (FORMAT parquet)`),
  );
  return path;
}

let people: string;
let others: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'install-'));
  people = await writePeople('people.parquet', `'F' || i AS first_name, i AS age`);
  others = await writePeople('others.parquet', `'G' || i AS first_name, i AS age, true AS more`);
  await writePeople('nameless.parquet', 'i AS age');
  writeFileSync(join(root, 'cut.parquet'), readFileSync(people).subarray(0, 200));
});

beforeEach(() => {
  folder = mkdtempSync(join(root, 'datasets-'));
});

afterAll(() => rmSync(root, { recursive: true }));

const wanted = () => ({ collection: 'xx_XX', folder, needs: ['first_name', 'age'] });

function install(path: string, sha256?: string) {
  const fill = copyOf(path, { signal, onBytes: () => {} });
  return installCollection(wanted(), { name: path, fill, sha256 }, signal);
}

const visible = () => readdirSync(folder).filter((name) => !name.startsWith('.'));
const unfinished = () => readdirSync(join(folder, '.partial'));

test('installs a file, and records its SHA-256 beside it', async () => {
  const progress: number[] = [];
  const fill = copyOf(people, { signal, onBytes: (bytes) => progress.push(bytes) });
  const made = await installCollection(wanted(), { name: people, fill, sha256: undefined }, signal);
  const bytes = readFileSync(people);
  expect(made).toMatchObject({ bytes: bytes.length, isVerified: false, isUnchanged: false });
  expect(progress).toEqual([bytes.length]);
  expect(readFileSync(made.path)).toEqual(bytes);
  expect(readFileSync(`${made.path}.sha256`, 'utf8')).toBe(`${made.sha256}  xx_XX.parquet\n`);
  expect([visible(), unfinished()]).toEqual([['xx_XX.parquet', 'xx_XX.parquet.sha256'], []]);
  expect(await collectionState(wanted())).toEqual({
    path: made.path,
    bytes: bytes.length,
    sha256: made.sha256,
    damage: null,
  });
});

test('an update replaces the file and its record; a file with the checksum of the source is left as it is', async () => {
  const { sha256 } = await install(people);
  const second = await install(others);
  expect(second.sha256).not.toBe(sha256);
  expect(await givenSum(second.path)).toBe(second.sha256);
  expect(await install(others, second.sha256)).toMatchObject({ isVerified: true, isUnchanged: true });
  expect(await install(people, sha256)).toMatchObject({ isVerified: true, isUnchanged: false });
});

test.each([
  ['cut.parquet', undefined, /cut\.parquet cannot be read: .*\. Use another file\.$/],
  [
    'nameless.parquet',
    undefined,
    /: the collection 'xx_XX' has no column 'first_name', which is needed\. Use another file\.$/,
  ],
  ['none.parquet', undefined, /: there is no such file\. Check the source and start again\.$/],
  [
    'people.parquet',
    '0'.repeat(64),
    /: the SHA-256 of .*people\.parquet differs from the one in .*people\.parquet\.sha256\./,
  ],
])('a refused file (%s) leaves the installed one', async (name, sha256, message) => {
  const before = await install(others);
  await expect(install(join(root, name), sha256)).rejects.toMatchObject({
    code: 'collection/not-installed',
    message: expect.stringMatching(message),
  });
  expect(readFileSync(before.path)).toEqual(readFileSync(others));
  expect(await givenSum(before.path)).toBe(before.sha256);
  expect(unfinished()).toEqual([]);
});

test('an aborted installation leaves nothing', async () => {
  const stopped = new AbortController();
  const fill = copyOf(people, { signal: stopped.signal, onBytes: () => stopped.abort() });
  await expect(installCollection(wanted(), { name: people, fill, sha256: undefined }, stopped.signal)).rejects.toThrow(
    'The operation was aborted',
  );
  expect([visible(), unfinished()]).toEqual([[], []]);
});

test('takes over a downloaded file without a copy', async () => {
  const downloaded = join(folder, '.partial', 'ngc', 'people.parquet');
  mkdirSync(join(downloaded, '..'), { recursive: true });
  copyFileSync(people, downloaded);
  const source = {
    name: 'NGC',
    fill: (file: Parameters<ReturnType<typeof copyOf>>[0]) => file.adopt(downloaded, signal),
    sha256: undefined,
  };
  const made = await installCollection(wanted(), source, signal);
  expect(readFileSync(made.path)).toEqual(readFileSync(people));
  expect(made.sha256).toBe((await install(people)).sha256);
  expect(readdirSync(join(folder, '.partial', 'ngc'))).toEqual([]);
});

test('a missing collection is not damaged', async () => {
  expect(await collectionState(wanted())).toMatchObject({ bytes: null, sha256: null, damage: null });
});

test.each([
  ['cut.parquet', 'it is not a complete Parquet file'],
  ['nameless.parquet', "it has no column 'first_name'"],
])('the state of a collection tells the damage of %s', async (name, damage) => {
  copyFileSync(join(root, name), join(folder, 'xx_XX.parquet'));
  expect(await collectionState(wanted())).toMatchObject({ sha256: null, damage });
});

test.each([
  ['sha256sum', (hex: string) => `${'1'.repeat(64)}  other.parquet\n${hex}  ./people.parquet\n`],
  ['a binary file', (hex: string) => `${hex} *people.parquet\r\n`],
  ['the digits only', (hex: string) => hex.toUpperCase()],
])('reads a checksum as %s writes it', async (_, write) => {
  const hex = 'ab'.repeat(32);
  writeFileSync(`${people}.sha256`, write(hex));
  expect(await givenSum(people)).toBe(hex);
  writeFileSync(`${people}.sha256`, 'none');
  await expect(givenSum(people)).rejects.toThrow(`${people}.sha256 contains no SHA-256`);
  rmSync(`${people}.sha256`);
  expect(await givenSum(people)).toBeUndefined();
});

test('a file is checked before it is copied', async () => {
  await expect(refuseUnfit(wanted(), { path: join(root, 'cut.parquet') })).rejects.toMatchObject({
    code: 'collection/not-installed',
  });
  await expect(refuseUnfit(wanted(), { path: people })).resolves.toBeUndefined();
});
