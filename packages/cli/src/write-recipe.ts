import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { DataDesignerError, fileReason, knownNames } from '@data-designer/core';
import { textTable } from '@data-designer/printing';
import { printJson } from './display/print-results.ts';
import {
  commandsIn,
  describeRecipe,
  filesOfRecipe,
  type OwnModel,
  RECIPES,
  readRecipeFile,
  withOwnModel,
} from './recipes.ts';

/** What `init` writes. */
export interface InitFlags {
  readonly json: boolean;
  readonly ts: boolean;
  readonly list: boolean;
  readonly force: boolean;
  readonly model?: string;
  readonly provider?: string;
  readonly endpoint?: string;
  readonly apiKey?: string;
}

/** The file that describes the endpoint of the user. */
const PROVIDERS_FILE = 'providers.yaml';
/** The name of the provider whose endpoint the user gives. */
const OWN_PROVIDER = 'mine';
const VARIABLE = /^[A-Za-z_]\w*$/;

/** Prints all recipes by topic. */
export function listRecipes({ json }: InitFlags): void {
  const recipes = RECIPES.map((recipe) => ({ ...recipe, description: describeRecipe(recipe) }));
  if (json) return printJson({ recipes });
  const lines = textTable(recipes.map(({ name, description }) => [name, description]));
  const topics = recipes.map(({ topic }, at) => (topic === recipes[at - 1]?.topic ? '' : `\n${topic}\n`));
  const list = lines.map((line, at) => `${topics[at]}  ${line}\n`).join('');
  process.stdout.write(`${list.trimStart()}\nWrite one of them: npx data-designer init ${RECIPES[1]?.name}\n`);
}

/** Writes a recipe and its files into the current folder, and prints its commands. */
export function writeRecipe(name: string, flags: InitFlags, command: Command): void {
  const recipe = RECIPES.find((one) => one.name === name);
  const names = RECIPES.map((one) => one.name);
  if (recipe === undefined) {
    const [meant, ...others] = names.filter((one) => one.split('-').includes(name));
    const told = meant !== undefined && others.length === 0 ? `Did you mean '${meant}'?` : knownNames(name, names);
    command.error(`error: unknown recipe '${name}'. ${told}`);
  }
  const { force, json, ts } = flags;
  const [config = '', ...others] = filesOfRecipe(recipe, ts ? 'ts' : 'yaml');
  const own = ownModel(flags, command);
  const written = readRecipeFile(config).toString();
  const text = own === undefined ? written : withOwnModel(written, own);
  const asksChatModel = withOwnModel(written, { model: '', provider: '', file: undefined }) !== written;
  if (own !== undefined && !asksChatModel)
    command.error(`error: --model has no effect on '${recipe.name}', which asks no chat model: leave it out.`);
  const contents = new Map([
    [config, Buffer.from(text)],
    ...others.map((file) => [file, readRecipeFile(file)] as const),
  ]);
  if (own?.file !== undefined) contents.set(own.file, Buffer.from(providersOf(flags)));
  const files = [...contents.keys()];
  const existing = files.filter((file) => existsSync(file));
  if (existing.length > 0 && !force) {
    const verb = existing.length === 1 ? 'exists' : 'exist';
    command.error(`error: ${existing.join(', ')} ${verb} already, so nothing was written. Overwrite with --force.`);
  }
  for (const [file, content] of contents) writeInto(file, content, force);
  const providers = own?.file === undefined ? '' : ` --providers ${own.file}`;
  const check = own === undefined ? [] : [`npx data-designer check-models ${config}${providers}`];
  const commands = [...check, ...commandsIn(text)];
  const next = commands.find((one) => one.includes(' preview '));
  if (json) return printJson({ recipe: recipe.name, files, next, commands });
  for (const file of files) process.stdout.write(`written: ${file}\n`);
  process.stdout.write(`\n${describeRecipe(recipe)} Next:\n${commands.map((one) => `  ${one}\n`).join('')}`);
  if (flags.apiKey !== undefined && process.env[flags.apiKey] === undefined)
    process.stdout.write(
      `\nSet the key first: export ${flags.apiKey}=<key>, or the line ${flags.apiKey}=<key> in a file named .env\n`,
    );
  if (own !== undefined || !asksChatModel) return;
  const again = `npx data-designer init ${recipe.name}${ts ? ' --ts' : ''} --force`;
  process.stdout.write(`\nWith your own model: ${again} --model <model> --endpoint <address> (or --provider openai)\n`);
}

/** The model that the flags name, if they do. */
function ownModel({ model, provider, endpoint, apiKey }: InitFlags, command: Command): OwnModel | undefined {
  if (model === undefined) return undefined;
  if ((provider === undefined) === (endpoint === undefined))
    command.error('error: --model needs either the --provider of the model or its --endpoint.');
  if (apiKey !== undefined && !VARIABLE.test(apiKey))
    command.error(
      'error: --api-key takes the name of an environment variable, such as MY_KEY, and not the key itself.',
    );
  return provider === undefined
    ? { model, provider: OWN_PROVIDER, file: PROVIDERS_FILE }
    : { model, provider, file: undefined };
}

/** A file of providers with the endpoint that the flags name. */
function providersOf({ endpoint, apiKey }: InitFlags): string {
  const key = apiKey === undefined ? '' : `, api_key: '\${${apiKey}}'`;
  return `# The endpoint of the models.\nproviders:\n  - { name: ${OWN_PROVIDER}, endpoint: ${JSON.stringify(endpoint)}${key} }\n`;
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
