import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { DataDesignerError, fileReason, knownNames } from '@data-designer/core';
import { textTable } from '@data-designer/printing';
import { printJson } from './display/print-results.ts';
import { withJson } from './entry-command.ts';
import { examples } from './flags/common-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';
import { describeRecipe, filesOfRecipe, previewCommand, type Recipe, RECIPES, readRecipeFile } from './recipes.ts';

interface InitFlags {
  readonly json: boolean;
  readonly ts: boolean;
  readonly list: boolean;
  readonly force: boolean;
}

/** `data-designer init`: writes a starter config into the current folder. */
export function initCommand(): Command {
  const command = withJson(
    new Command('init')
      .description('Write a commented starter config into the current folder.')
      .argument('[recipe]', 'Config to start from; --list names all', 'minimal')
      .option('--ts', 'Write the config in TypeScript instead of YAML', false)
      .option('--list', 'List the recipes with a description', false)
      .option('--force', 'Overwrite existing files', false),
  );
  return refuseUnused<InitFlags>(command, [
    {
      flags: ['ts', 'force'],
      unless: ({ list }) => (list ? 'with --list, which writes nothing: leave out one of them' : undefined),
    },
  ])
    .addHelpText('after', examples('init', 'init tools', 'init text-to-sql --ts', 'init --list'))
    .action((name: string, flags: InitFlags, self: Command) => {
      if (flags.list && self.args.length > 0)
        self.error(`error: --list lists all recipes: leave out '${name}', or --list.`);
      if (flags.list) return listRecipes(flags);
      const recipe = RECIPES.find((one) => one.name === name);
      const names = RECIPES.map((one) => one.name);
      if (recipe === undefined) self.error(`error: unknown recipe '${name}'. ${knownNames(name, names)}`);
      writeRecipe(recipe, flags, self);
    });
}

function listRecipes({ json }: InitFlags): void {
  const recipes = RECIPES.map((recipe) => ({ ...recipe, description: describeRecipe(recipe) }));
  if (json) return printJson({ recipes });
  const lines = textTable(recipes.map(({ name, description }) => [name, description]));
  const topics = recipes.map(({ topic }, at) => (topic === recipes[at - 1]?.topic ? '' : `\n${topic}\n`));
  const list = lines.map((line, at) => `${topics[at]}  ${line}\n`).join('');
  process.stdout.write(`${list.trimStart()}\nWrite one of them: npx data-designer init ${RECIPES[1]?.name}\n`);
}

function writeRecipe(recipe: Recipe, { force, json, ts }: InitFlags, command: Command): void {
  const files = filesOfRecipe(recipe, ts ? 'ts' : 'yaml');
  const existing = files.filter((file) => existsSync(file));
  if (existing.length > 0 && !force) {
    const verb = existing.length === 1 ? 'exists' : 'exist';
    command.error(`error: ${existing.join(', ')} ${verb} already, so nothing was written. Overwrite with --force.`);
  }
  for (const file of files) writeInto(file, readRecipeFile(file), force);
  const next = previewCommand(`${recipe.name}.${ts ? 'ts' : 'yaml'}`);
  if (json) return printJson({ recipe: recipe.name, files, next });
  for (const file of files) process.stdout.write(`written: ${file}\n`);
  process.stdout.write(`\n${describeRecipe(recipe)} Next:\n  ${next}\n`);
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
