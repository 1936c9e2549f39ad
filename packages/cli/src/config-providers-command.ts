import { type Command, Option } from 'commander';
import { MODEL_PROTOCOL_NAMES } from '@data-designer/core';
import { type ChangeFlags, entryCommand } from './entry-command.ts';
import { address, jsonObject, pairs, withChoices } from './flags/parse-flags.ts';

interface ProviderFlags extends ChangeFlags {
  readonly endpoint?: string;
  readonly type?: string;
  readonly apiKey?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

/** `data-designer config providers`: adds, changes and deletes model providers of the home folder. */
export function modelProvidersCommand(): Command {
  return entryCommand<ProviderFlags>({
    command: 'providers',
    file: 'modelProviders',
    noun: 'model provider',
    addDescription: 'Connect to a model provider, list its models, and add it.',
    nameFlag: 'name',
    nameDescription: 'Name of the provider in model configs',
    clearable: { 'api-key': 'apiKey', header: 'extraHeaders', 'extra-body': 'extraBody' },
    withFlags: (command) =>
      command
        .option('--endpoint <address>', 'Base address, such as https://host/v1', address)
        .addOption(
          withChoices(
            new Option('--type <type>', 'Protocol; openai fits any OpenAI-compatible server (default: openai)'),
            MODEL_PROTOCOL_NAMES,
          ),
        )
        .option('--api-key <key>', "API key: '${NAME}', the name of an environment variable, or the key itself")
        .option('--header <KEY=VALUE>', 'HTTP header of every request; repeatable', pairs)
        .option('--extra-body <json>', 'Fields to add to the body of every request, as a JSON object', jsonObject),
    missing: ({ endpoint }) => (endpoint === undefined ? 'a model provider needs an --endpoint' : undefined),
    fieldsOf: ({ endpoint, type, apiKey, header, extraBody }) => {
      return { endpoint, providerType: type, apiKey, extraHeaders: header, extraBody };
    },
    runWizard: async () => (await import('./wizards/model-provider-wizard.ts')).askModelProviders(),
  });
}
