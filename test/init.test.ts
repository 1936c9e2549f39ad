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
import { startSimulator } from '@data-designer/simulator';
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
        expect(stdout).toMatch(/Next:\n(?: {2}npm install .*\n)? {2}npx data-designer preview /);
        expect(stdout).toContain(`  npx data-designer preview ${config} -n 3`);
        expect(stdout).toContain(`  npx data-designer create ${config} -n `);
        const needed = Array.from(stdout.matchAll(/--(?:providers|media-root) (\S+)/g), ([, path = '']) => path);
        for (const path of needed) {
          expect({ name, path, exists: existsSync(join(folder, path)) }).toEqual({ name, path, exists: true });
        }
        // The preview and the run both read the servers of the recipe.
        const fewest = existsSync(join(folder, name, 'providers.yaml')) ? 2 : 0;
        expect({ name, isEnough: needed.length >= fewest }).toEqual({ name, isEnough: true });
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

/** The commands that `init` has printed, for a shell that need not find the program. */
function printedCommands(stdout: string): readonly string[] {
  const words = `"${process.execPath}" "${program}"`;
  return Array.from(stdout.matchAll(/^ {2}npx data-designer (.*)$/gm), ([, rest]) => `${words} ${rest}`);
}

test.each([
  ['multi-turn-tools', [], 3],
  ['bank-agent', ['--api-key', 'OWN_KEY'], 4],
] as const)('every printed command of %s works as it is printed', { tags: 'long' }, async (name, flags, count) => {
  await using simulator = await startSimulator('--api-key', 'secret');
  const own = flags.length === 0 ? [] : ['--model', 'their/model:7b', '--endpoint', simulator.url, ...flags];
  const { stdout } = await init(name, ...own);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(realpathSync('node_modules/data-designer'), join(folder, 'node_modules/data-designer'), 'junction');
  const commands = printedCommands(stdout);
  expect(commands).toHaveLength(count);
  for (const command of commands.map((one) => one.replace('-n 500', '-n 3'))) {
    const { code, stderr } = await runProgram('sh', ['-c', `OWN_KEY=secret ${command}`], { cwd: folder });
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr });
  }
  expect(readFileSync(join(folder, 'chats.jsonl'), 'utf8').split('\n').length).toBeGreaterThan(3);
  const asked = (await simulator.stats()).byModel['their/model:7b'] ?? 0;
  expect(asked > 10).toBe(own.length > 0);
});

test('a model of the user takes the place of the simulated chat models, in both languages', async () => {
  await init('embedding-pairs', '--model', "it's", '--provider', 'openai');
  const yaml = readFileSync(join(folder, 'embedding-pairs.yaml'), 'utf8');
  expect(yaml).toContain("model: 'it''s'\n    provider: 'openai'");
  expect(yaml).not.toMatch(/sim-(?:small|large)/);
  expect(yaml).toContain('model: sim-embed\n    provider: simulator');
  expect(yaml).toContain('The simulator needs no key');
  const { stdout } = await init('tools', '--ts', '--model', "it's", '--endpoint', 'http://localhost:1/v1');
  const code = readFileSync(join(folder, 'tools.ts'), 'utf8');
  expect(code).toMatch(/model: 'it\\'s',\s+provider: 'mine'/);
  expect(code).not.toMatch(/simulator needs no key|gpt-4/);
  expect(readFileSync(join(folder, 'providers.yaml'), 'utf8')).toContain(
    '{ name: mine, endpoint: "http://localhost:1/v1" }',
  );
  expect(stdout).toContain('Next:\n  npx data-designer check-models tools.ts --providers providers.yaml\n');
  expect(stdout).toContain('  npx data-designer preview tools.ts --providers providers.yaml -n 3\n');
});

test.each([
  [
    ['samplers', '--model', 'x', '--provider', 'openai'],
    "--model has no effect on 'samplers', which asks no chat model",
  ],
  [['tools', '--model', 'x'], '--model needs either the --provider of the model or its --endpoint'],
  [['tools', '--endpoint', 'http://localhost:1'], '--endpoint has no effect without --model'],
  [
    ['tools', '--model', 'x', '--endpoint', 'http://localhost:1', '--api-key', 'sk-1'],
    '--api-key takes the name of an environment variable, such as MY_KEY, and not the key itself',
  ],
])('%j is a usage error that writes nothing', async (args, message) => {
  const { code, stderr } = await init(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(readdirSync(folder)).toEqual([]);
});

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
  const { stderr: ofWord } = await runProgram(process.execPath, [program, 'init', 'bank'], { cwd: folder });
  expect(ofWord).toContain("Did you mean 'bank-agent'?");
  expect(readdirSync(folder)).toEqual([]);
});
