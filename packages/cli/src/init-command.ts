import { Command } from 'commander';
import { withJson } from './entry-command.ts';
import { examples } from './flags/common-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';
import type { InitFlags } from './write-recipe.ts';
import { address } from './flags/parse-flags.ts';

/** `data-designer init`: writes a starter config into the current folder. */
export function initCommand(): Command {
  const command = withJson(
    new Command('init')
      .description('Write a commented starter config into the current folder.')
      .argument('[recipe]', 'Config to start from; --list names all', 'minimal')
      .option('--ts', 'Write the config in TypeScript instead of YAML', false)
      .option('--list', 'List the recipes with a description', false)
      .option('--force', 'Overwrite existing files', false)
      .option('--model <model>', 'Chat model of your own, in place of the simulated ones')
      .option('--provider <name>', 'With --model: its provider, such as openai, or one of the home folder')
      .option('--endpoint <address>', 'With --model: its endpoint, which is written to providers.yaml', address)
      .option('--api-key <name>', 'With --endpoint: environment variable that has the key'),
  );
  return refuseUnused<InitFlags>(command, [
    {
      flags: ['ts', 'force', 'model'],
      unless: ({ list }) => (list ? 'with --list, which writes nothing: leave out one of them' : undefined),
    },
    {
      flags: ['provider', 'endpoint'],
      unless: ({ model }) => (model === undefined ? 'without --model: name the model too' : undefined),
    },
    {
      flags: ['apiKey'],
      unless: ({ endpoint }) => (endpoint === undefined ? 'without --endpoint: name the address too' : undefined),
    },
  ])
    .addHelpText(
      'after',
      examples(
        'init',
        'init tools',
        'init text-to-sql --ts',
        'init --list',
        'init bank-agent --model my-model --endpoint http://localhost:8000/v1',
      ),
    )
    .action(async (name: string, flags: InitFlags, self: Command) => {
      if (flags.list && self.args.length > 0)
        self.error(`error: --list lists all recipes: leave out '${name}', or --list.`);
      const { listRecipes, writeRecipe } = await import('./write-recipe.ts');
      if (flags.list) listRecipes(flags);
      else writeRecipe(name, flags, self);
    });
}
