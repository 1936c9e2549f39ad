import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { DataDesignerError, fileReason, knownNames } from '@data-designer/core';
import { textTable } from '../printing/text-table.ts';
import { printJson } from './display/print-results.ts';
import { withJson } from './entry-command.ts';
import { examples } from './flags/common-flags.ts';

interface InitFlags {
  readonly json: boolean;
  readonly list: boolean;
  readonly force: boolean;
}

/** The recipes of the package: each is a folder with a config of the same name, and the files that the config reads. */
const RECIPES = ['minimal', 'tools', 'judge', 'structured', 'seeds', 'documents', 'samplers'] as const;

type Recipe = (typeof RECIPES)[number];

/** `data-designer init`: writes a starter config into the current folder. */
export function initCommand(): Command {
  return withJson(
    new Command('init')
      .description('Write a commented starter config into the current folder.')
      .argument('[recipe]', `Starter config: ${RECIPES.join(', ')}`, 'minimal')
      .option('--list', 'List the recipes with a description', false)
      .option('--force', 'Overwrite existing files', false),
  )
    .addHelpText('after', examples('init', 'init tools', 'init --list'))
    .action((name: string, flags: InitFlags, command: Command) => {
      if (flags.list) return listRecipes(flags);
      const recipe = RECIPES.find((one) => one === name);
      if (recipe === undefined) command.error(`error: unknown recipe '${name}'. ${knownNames(name, RECIPES)}`);
      writeRecipe(recipe, flags, command);
    });
}

function listRecipes({ json }: InitFlags): void {
  const recipes = RECIPES.map((name) => ({ name, description: describe(name) }));
  if (json) return printJson({ recipes });
  const lines = textTable(recipes.map(({ name, description }) => [name, description]));
  process.stdout.write(`${lines.join('\n')}\n\nWrite one of them: npx data-designer init ${RECIPES[1]}\n`);
}

/** The first line of a config, which is a comment that describes it. */
function describe(recipe: Recipe): string {
  const [first = ''] = readFileSync(join(folderOf(recipe), `${recipe}.yaml`), 'utf8').split('\n');
  return first.replace(/^# /, '');
}

function writeRecipe(recipe: Recipe, { force, json }: InitFlags, command: Command): void {
  const files = filesOf(recipe);
  const existing = files.filter((file) => existsSync(file));
  if (existing.length > 0 && !force) {
    const verb = existing.length === 1 ? 'exists' : 'exist';
    command.error(`error: ${existing.join(', ')} ${verb} already, so nothing was written. Overwrite with --force.`);
  }
  for (const file of files) writeInto(file, readFileSync(join(folderOf(recipe), file)), force);
  const next = `npx data-designer preview ${recipe}.yaml -n 3`;
  if (json) return printJson({ recipe, files, next });
  for (const file of files) process.stdout.write(`written: ${file}\n`);
  process.stdout.write(`\n${describe(recipe)} Next:\n  ${next}\n`);
}

/** The files of a recipe, relative to its folder: its config first. */
function filesOf(recipe: Recipe): readonly string[] {
  const config = `${recipe}.yaml`;
  const found = readdirSync(folderOf(recipe), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const files = found.map(({ name, parentPath }) => join(parentPath, name).slice(folderOf(recipe).length + 1));
  return [config, ...files.filter((file) => file !== config).toSorted()];
}

/** Writes a file of the current folder; throws `dataset/unwritable`. */
function writeInto(path: string, contents: Buffer, force: boolean): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents, { flag: force ? 'w' : 'wx' });
  } catch (thrown) {
    throw new DataDesignerError(
      'dataset/unwritable',
      { path, reason: fileReason(thrown, 'folder') },
      { cause: thrown },
    );
  }
}

/** The sources and the published files lie in folders of different depth, so the package is found by its name. */
function folderOf(recipe: Recipe): string {
  const manifest = createRequire(import.meta.url).resolve('data-designer/package.json');
  return join(dirname(manifest), 'recipes', recipe);
}
