import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { program, runCommand } from './command-line.ts';
import { runProgram } from './npm.ts';

const RECIPES = readdirSync('packages/data-designer/recipes');
const api = new URL('../packages/data-designer/dist/index.js', import.meta.url);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'init-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const init = (...args: string[]) => runCommand(['init', ...args], { cwd: folder });

/** Checks every config of the current folder, and makes records with the simulator. */
const MAKE_ALL = `import { globSync } from 'node:fs';
  import { DataDesigner, DataDesignerConfigBuilder } from '${api}';
  const designer = new DataDesigner();
  const made = {};
  for (const file of globSync('*.yaml')) {
    const config = await DataDesignerConfigBuilder.fromConfig(file);
    const { violations } = await designer.check(config);
    const { count } = await designer.preview(config, { numRecords: 3 });
    made[file] = { violations, count };
  }
  console.log(JSON.stringify(made));`;

test('every recipe is written with its files, has no mistakes, and makes records with the simulator', async () => {
  for (const recipe of RECIPES) {
    const { code, stdout } = await init(recipe);
    expect({ recipe, code }).toEqual({ recipe, code: 0 });
    expect(stdout).toContain(`written: ${recipe}.yaml\n`);
    expect(stdout).toContain(`Next:\n  npx data-designer preview ${recipe}.yaml -n 3\n`);
  }
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['products.csv', 'handbook']));
  const { stdout, stderr } = await runProgram(process.execPath, ['--input-type=module', '-e', MAKE_ALL], {
    cwd: folder,
  });
  expect(stderr).toBe('');
  const each = RECIPES.map((recipe) => [`${recipe}.yaml`, { violations: [], count: 3 }]);
  expect(JSON.parse(stdout)).toEqual(Object.fromEntries(each));
});

test('the list names every recipe with the first line of its config', async () => {
  const { stdout } = await init('--list', '--json');
  const { recipes } = JSON.parse(stdout) as { recipes: { name: string; description: string }[] };
  expect(recipes.map(({ name }) => name).toSorted()).toEqual(RECIPES.toSorted());
  for (const { name, description } of recipes) {
    const text = readFileSync(`packages/data-designer/recipes/${name}/${name}.yaml`, 'utf8');
    expect(text.startsWith(`# ${description}\n#\n`)).toBe(true);
  }
});

test('an existing file stops init before it writes anything, unless --force is given', async () => {
  writeFileSync(join(folder, 'products.csv'), 'mine');
  const refused = await init('seeds');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    'error: products.csv exists already, so nothing was written. Overwrite with --force.',
  );
  expect(readdirSync(folder)).toEqual(['products.csv']);
  expect(readFileSync(join(folder, 'products.csv'), 'utf8')).toBe('mine');
  expect((await init('seeds', '--force')).code).toBe(0);
  expect(readFileSync(join(folder, 'products.csv'), 'utf8')).toContain('Copper kettle');
});

test('an unknown recipe is a usage error that suggests a known one', async () => {
  const { code, stderr } = await runProgram(process.execPath, [program, 'init', 'judg'], { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toContain("unknown recipe 'judg'. Did you mean 'judge'?");
  expect(readdirSync(folder)).toEqual([]);
});
