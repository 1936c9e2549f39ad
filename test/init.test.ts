import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { program, runCommand } from './command-line.ts';
import { runProgram } from './npm.ts';

const SOURCE = resolve('configs/recipes');
const RECIPES = globSync('*.yaml', { cwd: SOURCE }).map((file) => file.replace('.yaml', ''));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'init-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const init = (...args: string[]) => runCommand(['init', ...args], { cwd: folder });

test(
  'every recipe is written in both languages with its files, and names the command to run next',
  { tags: 'long' },
  async () => {
    for (const name of RECIPES) {
      for (const [language, flags] of [
        ['yaml', []],
        ['ts', ['--ts', '--force']],
      ] as const) {
        const { code, stdout } = await init(name, ...flags);
        const config = `${name}.${language}`;
        expect({ name, code }).toEqual({ name, code: 0 });
        expect(stdout).toContain(`written: ${config}\n`);
        expect(stdout).toContain(`Next:\n  npx data-designer preview ${config} -n 3`);
        const needed = /--(?:providers|media-root) (\S+)\n$/.exec(stdout)?.[1] ?? config;
        expect({ name, needed, exists: existsSync(join(folder, needed)) }).toEqual({ name, needed, exists: true });
      }
    }
    const written = globSync('**/*.*', { cwd: folder }).toSorted();
    expect(written).toEqual(globSync('**/*.*', { cwd: SOURCE }).toSorted());
    for (const file of written) {
      const isSame = readFileSync(join(folder, file)).equals(readFileSync(join(SOURCE, file)));
      expect({ file, isSame }).toEqual({ file, isSame: true });
    }
  },
);

test(
  'the command to run next makes records, here of a recipe in TypeScript that reads a table',
  { tags: 'long' },
  async () => {
    await init('seeds', '--ts');
    mkdirSync(join(folder, 'node_modules'));
    for (const name of ['data-designer', 'zod']) {
      symlinkSync(realpathSync(join('node_modules', name)), join(folder, 'node_modules', name), 'junction');
    }
    const args = [program, 'preview', 'seeds.ts', '-n', '3', '--json'];
    const { code, stdout } = await runProgram(process.execPath, args, { cwd: folder });
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { records: unknown[] }).records).toHaveLength(3);
  },
);

test('the list names every recipe with its topic and the first line of its config, as the page of the guide does', async () => {
  const { stdout } = await init('--list', '--json');
  const { recipes } = JSON.parse(stdout) as { recipes: { name: string; topic: string; description: string }[] };
  expect(recipes.map(({ name }) => name).toSorted()).toEqual(RECIPES.toSorted());
  for (const { name, description } of recipes) {
    const [first, second] = readFileSync(join(SOURCE, `${name}.yaml`), 'utf8').split('\n');
    expect([first, second]).toEqual([`# ${description}`, '#']);
  }
  const page = readFileSync('docs/guide/recipes.md', 'utf8');
  const rows = [...page.matchAll(/^## (.+)$|^\| `(\S+)` +\| (.+?) +\|$/gm)].map(([, ...row]) => row);
  let topic: string | undefined;
  const listed = rows.flatMap(([heading, name, description]) => {
    topic = heading ?? topic;
    return name === undefined ? [] : [{ name, topic, description }];
  });
  expect(listed).toEqual(recipes);
});

test('an existing file stops init before it writes anything, unless --force is given', async () => {
  mkdirSync(join(folder, 'seeds'));
  writeFileSync(join(folder, 'seeds', 'products.csv'), 'mine');
  const refused = await init('seeds');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    'error: seeds/products.csv exists already, so nothing was written. Overwrite with --force.',
  );
  expect(readdirSync(folder)).toEqual(['seeds']);
  expect(readFileSync(join(folder, 'seeds', 'products.csv'), 'utf8')).toBe('mine');
  expect((await init('seeds', '--force')).code).toBe(0);
  expect(readFileSync(join(folder, 'seeds', 'products.csv'), 'utf8')).toContain('Copper kettle');
});

test('an unknown recipe is a usage error that suggests a known one', async () => {
  const { code, stderr } = await runProgram(process.execPath, [program, 'init', 'judg'], { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toContain("unknown recipe 'judg'. Did you mean 'judge'?");
  expect(readdirSync(folder)).toEqual([]);
});
