import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../packages/mcp/test/providers.ts';
import { type Finished, runCommand, startDataDesigner } from './command-line.ts';
import { listen } from './hub-server.ts';
import { DOWN, ENTER, hasTerminals, Terminal } from './terminal.ts';

const PEOPLE = fileURLToPath(new URL('conformance/data/assets/datasets/en_US.parquet', import.meta.url));
const bytes = readFileSync(PEOPLE);
const SHA_256 = createHash('sha256').update(bytes).digest('hex');

/** A stand-in for NVIDIA's program: it notes its arguments, and downloads the file of this test as the program does. */
const NGC = `#!/bin/sh
if [ "$1" = --version ]; then echo 'NGC CLI 4.5.2'; exit 0; fi
echo "$*" >> "$NGC_NOTES"
folder="$6/\${4##*/}_v0.0.6"
mkdir "$folder"
case "$NGC_DOES" in
  refuse) exit 3;;
  nothing) exit 0;;
  hang) head -c 500 "$NGC_FILE" > "$folder/half.parquet"; echo "$$" > "$NGC_NOTES"; exec sleep 600;;
esac
cp "$NGC_FILE" "$folder/people.parquet"
`;

let folder: string;
let environment: Record<string, string>;
let datasets: string;
let notes: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'personas-'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'ngc'), NGC);
  chmodSync(join(folder, 'bin', 'ngc'), 0o755);
  mkdirSync(join(folder, 'user', '.ngc'), { recursive: true });
  writeFileSync(join(folder, 'user', '.ngc', 'config'), '[CURRENT]\n');
});

beforeEach(() => {
  const home = mkdtempSync(join(folder, 'home-'));
  datasets = join(home, 'managed-assets', 'datasets');
  notes = join(home, 'notes');
  environment = {
    DATA_DESIGNER_HOME: home,
    HOME: join(folder, 'user'),
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    NGC_NOTES: notes,
    NGC_FILE: PEOPLE,
    NGC_DOES: 'download',
  };
});

afterAll(() => rmSync(folder, { recursive: true }));

function personas(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  return runCommand(['download', 'personas', ...args], { env: { ...environment, ...env } });
}

const readNames = (): string[] => readdirSync(datasets, { recursive: true }).map(String).toSorted();
const installed = (locale: string) => ['.partial', `${locale}.parquet`, `${locale}.parquet.sha256`];

/** A folder with files, by their names. */
function sourceOf(files: Readonly<Record<string, Buffer | string>>): string {
  const source = mkdtempSync(join(folder, 'source-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(source, name, '..'), { recursive: true });
    writeFileSync(join(source, name), content);
  }
  return source;
}

test('files of a folder are installed, listed, and drawn from', async () => {
  const source = sourceOf({
    'en_US.parquet': bytes,
    'en_US.parquet.sha256': `${SHA_256}  en_US.parquet\n`,
    'nemotron-personas-dataset-ja_jp_v0.0.9/ja_JP.parquet': 'an old version',
    'nemotron-personas-dataset-ja_jp_v0.0.10/ja_JP.parquet': bytes,
  });
  const planned = await personas(['--all', '--from', source, '--dry-run']);
  expect(planned.stdout).toContain(
    `Would install from ${source} into ${datasets}:\n  en_US  18.5 kB\n  ja_JP  18.5 kB\n`,
  );
  expect(existsSync(datasets)).toBe(false);
  const made = await personas(['--all', '--from', source, '--yes']);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain(`en_US: installed, 18.5 kB, SHA-256 ${SHA_256} (matches that of the source)\n`);
  expect(made.stdout).toContain(`ja_JP: installed, 18.5 kB, SHA-256 ${SHA_256} (recorded; the source gives none)\n`);
  const again = await personas(['-l', 'en_US', '--from', source, '--yes']);
  expect(again.stdout).toContain('en_US: unchanged, 18.5 kB');
  writeFileSync(join(datasets, 'en_SG.parquet'), bytes.subarray(0, 900));
  const listed = await personas(['--list']);
  expect(listed.stdout).toMatch(new RegExp(`^ja_JP +1\\.69 GB +yes, 18\\.5 kB +${SHA_256}$`, 'm'));
  expect(listed.stdout).toMatch(/^en_SG +0\.30 GB +damaged: it is not a complete Parquet file$/m);
  const json = JSON.parse((await personas(['--list', '--json'])).stdout) as {
    datasets: { locale: string; installed: boolean }[];
  };
  expect(json.datasets).toHaveLength(11);
  expect(json.datasets.filter((one) => one.installed).map(({ locale }) => locale)).toEqual(['en_US', 'ja_JP']);
});

test('a run without the collection names the command that installs it', { tags: 'long' }, async () => {
  const config = join(folder, 'people.yaml');
  writeFileSync(
    config,
    'columns:\n- { name: buyer, column_type: sampler, sampler_type: person, params: { locale: en_US } }\n',
  );
  const preview = () => runCommand(['preview', config, '-n', '2', '--json'], { env: environment });
  const missing = await preview();
  expect(missing.code).toBe(1);
  expect(missing.stdout).toContain("Run 'data-designer download personas --locale en_US' to install it.");
  expect((await personas(['-l', 'en_US', '--from', join(PEOPLE, '..'), '-y'])).code).toBe(0);
  const { records } = JSON.parse((await preview()).stdout) as { records: { buyer: { locale: string } }[] };
  expect(records.map(({ buyer }) => buyer.locale)).toEqual(['en_US', 'en_US']);
});

test('ngc is started as the Python tool starts it, and its file is moved', { tags: 'long' }, async () => {
  const made = await personas(['--locale', 'hi_Deva_IN', '--locale', 'en_SG', '--yes', '--json']);
  expect(made.code).toBe(0);
  const { installed: files, failed } = JSON.parse(made.stdout) as Record<
    string,
    readonly { locale: string; sha256: string }[]
  >;
  expect(files?.map(({ locale, sha256 }) => [locale, sha256])).toEqual([
    ['en_SG', SHA_256],
    ['hi_Deva_IN', SHA_256],
  ]);
  expect(failed).toEqual([]);
  const resource =
    'registry resource download-version nvidia/nemotron-personas/nemotron-personas-dataset-hi_deva_in --dest ';
  expect(readFileSync(notes, 'utf8')).toContain(resource + join(datasets, '.partial', 'ngc-'));
  expect(readNames()).toEqual([...new Set([...installed('en_SG'), ...installed('hi_Deva_IN')])]);
});

test.each([
  ['refuse', "'ngc' ended with code 3; see its output."],
  ['nothing', "'ngc' downloaded no Parquet file of nvidia/nemotron-personas/nemotron-personas-dataset-fr_fr."],
])('ngc that does %s leaves the installed file, and the command fails', async (does, reason) => {
  mkdirSync(datasets, { recursive: true });
  cpSync(PEOPLE, join(datasets, 'fr_FR.parquet'));
  const refused = await personas(['-l', 'fr_FR', '-y'], { NGC_DOES: does });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toBe(
    `Error [collection/not-installed]: The collection 'fr_FR' was not installed: ${reason} Check the login with 'ngc config current', and start again.\n`,
  );
  expect(readNames()).toEqual(['.partial', 'fr_FR.parquet']);
});

test('without ngc or its login the command tells how to get them', async () => {
  const missing = await personas(['--all', '-y'], { PATH: '/nowhere' });
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  expect(missing.stderr).toMatch(
    /^Error \[collection\/unavailable\]: .*the program 'ngc' is not on PATH\. .*'ngc config set'/,
  );
  const stranger = mkdtempSync(join(folder, 'user-'));
  const locked = await personas(['--all', '-y'], { HOME: stranger });
  expect(locked.stderr).toContain(`'ngc' is not logged in: there is no file ${join(stranger, '.ngc', 'config')}.`);
  expect(existsSync(notes)).toBe(false);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends ngc and leaves no half-written file', { tags: 'long' }, async (signal, code) => {
  const run = startDataDesigner(['download', 'personas', '-l', 'en_US', '-y'], { ...environment, NGC_DOES: 'hang' });
  await until(() => existsSync(notes) && /^\d+\n$/.test(readFileSync(notes, 'utf8')));
  const ngc = Number(readFileSync(notes, 'utf8'));
  run.child.kill(signal);
  const ended = await run.finished;
  expect(ended).toMatchObject({
    code,
    stderr: 'Interrupted. Not installed: en_US. Start the command again to install them.\n',
  });
  expect(() => process.kill(ngc, 0)).toThrow('ESRCH');
  expect(readNames()).toEqual(['.partial']);
});

test('a web server gives files with checksums; one that fails does not stop the others', async () => {
  const server = await listen(({ url }, response) => {
    if (url === '/p/en_US.parquet.sha256') response.end(SHA_256);
    else if (url === '/p/ko_KR.parquet.sha256') response.end('0'.repeat(64));
    else if (url?.endsWith('.sha256') === true || url === '/p/fr_FR.parquet') response.writeHead(404).end();
    else response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
  try {
    const locales = ['en_US', 'ko_KR', 'fr_FR', 'ja_JP'].flatMap((locale) => ['--locale', locale]);
    const from = ['--from', `${server.origin}/p/`, '--yes'];
    const refused = await personas([...locales, ...from, '--json']);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('private');
    const made = await personas([...locales, ...from, '--allow-private']);
    expect(made.code).toBe(1);
    expect(made.stdout).toMatch(
      /^en_US: installed, .*\(matches that of the source\)\nja_JP: installed, .*gives none\)$/m,
    );
    expect(made.stderr).toMatch(
      /'fr_FR' was not installed: the server has no file http.*\/p\/fr_FR\.parquet, or denies access/,
    );
    expect(made.stderr).toMatch(
      /'ko_KR' was not installed: the SHA-256 of http.*\/p\/ko_KR\.parquet differs from the one in/,
    );
    expect(readNames()).toEqual([...new Set([...installed('en_US'), ...installed('ja_JP')])]);
  } finally {
    await server.close();
  }
});

test('a full disk is told in one sentence, and nothing is left on it', async ({ skip }) => {
  const disk = mkdtempSync(join(folder, 'disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    skip('no file system may be mounted here');
  }
  try {
    const env = { DATA_DESIGNER_MANAGED_ASSETS_PATH: disk };
    const full = await personas(['-l', 'en_US', '-y', '--from', join(PEOPLE, '..')], env);
    expect(full.code).toBe(1);
    expect(full.stderr).toBe(
      `Error [collection/not-installed]: The collection 'en_US' was not installed: the disk is full at ${join(disk, 'datasets')}. Free some space and start again.\n`,
    );
    expect(readdirSync(disk, { recursive: true }).map(String).toSorted()).toEqual([
      'datasets',
      join('datasets', '.partial'),
    ]);
  } finally {
    execFileSync('umount', [disk]);
  }
});

test.each([
  ['NVIDIA NGC', []],
  ['a folder', ['--from', join(PEOPLE, '..')]],
])('managed assets that cannot be written are told (from %s)', async (_, from) => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  const refused = await personas(['-l', 'en_US', '-y', ...from], { DATA_DESIGNER_MANAGED_ASSETS_PATH: file });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^Error \[dataset\/unwritable\]: Cannot write to .*: a part of the path is a file, not a folder\./,
  );
});

test.each<[string, string[], RegExp]>([
  ['an unknown locale', ['-l', 'en_US', '-l', 'en_us'], /Did you mean 'en_US'\?/],
  ['no locale', ['--yes'], /asks which locales to install, and needs a terminal; without one, use --locale or --all/],
  ['no confirmation', ['--all'], /asks before it installs a file, and needs a terminal; without one, use --yes/],
  ['--list with another flag', ['--list', '--all'], /option '--list' cannot be used with option '--all'/],
])('without a terminal, %s is a usage error', async (_, args, message) => {
  const refused = await personas(args);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(message);
});

test('a folder without collections, and a broken file in one, are refused before anything is installed', async () => {
  const empty = await personas(['--all', '-y', '--from', sourceOf({ 'other.parquet': bytes })]);
  expect(empty.stderr).toContain(
    'it has no file of a persona collection. Name a folder with files such as en_US.parquet.',
  );
  const broken = sourceOf({ 'de_DE.parquet': bytes, 'en_US.parquet': bytes.subarray(0, 9000) });
  const refused = await personas(['--all', '-y', '--from', broken]);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(`'en_US' was not installed: ${join(broken, 'en_US.parquet')} cannot be read: `);
  const absent = await personas(['-l', 'ja_JP', '-y', '--from', broken]);
  expect(absent.stderr).toContain(`${broken} has no file ja_JP.parquet. Name the folder that contains it.`);
  expect(existsSync(datasets)).toBe(false);
});

test.runIf(hasTerminals)(
  'in a terminal the command offers the locales of the folder, and asks before it installs',
  { tags: 'long' },
  async () => {
    const source = sourceOf({ 'en_GB.parquet': bytes, 'pt_BR.parquet': bytes });
    const chosen = new Terminal(['download', 'personas', '--from', source], environment);
    await chosen.answer(/Which locales\?[^]*en_GB +2\.03 GB +no\s[^]*pt_BR +2\.33 GB +no\s/, `${DOWN} ${ENTER}`);
    await chosen.answer(/Installing from .*[^]*pt_BR[^]*Install\?/, ENTER);
    expect(await chosen.ended).toBe(0);
    expect(readNames()).toEqual(installed('pt_BR'));

    const declined = new Terminal(['download', 'personas', '-l', 'en_GB', '--from', source], environment);
    await declined.answer(/Install\?/, `n${ENTER}`);
    expect(await declined.ended).toBe(0);
    const cancelled = new Terminal(['download', 'personas', '--from', source], environment);
    await cancelled.answer(/Which locales\?/, '\u0003');
    expect(await cancelled.ended).toBe(130);
    expect(readNames()).toEqual(installed('pt_BR'));
  },
);
