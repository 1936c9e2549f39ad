import { type Command, Option } from 'commander';
import { type ChangeFlags, entryCommand } from './entry-command.ts';
import type { EntryFields } from './save-entry.ts';
import { atLeast, jsonObject, parseNumber, withChoices } from './flags/parse-flags.ts';

interface ModelFlags extends ChangeFlags {
  readonly model?: string;
  readonly provider?: string;
  readonly type?: string;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly maxParallelRequests?: number;
  readonly timeout?: number;
  readonly encodingFormat?: string;
  readonly dimensions?: number;
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

/** The mapping of a model config that holds its parameters. */
const PARAMETERS = 'inferenceParameters';

/** `data-designer config models`: adds, changes and deletes models of the home folder. */
export function modelConfigsCommand(): Command {
  return entryCommand<ModelFlags>({
    command: 'models',
    file: 'modelConfigs',
    noun: 'model config',
    addDescription: 'Send a small request to a model, and add it.',
    nameFlag: 'alias',
    nameDescription: 'Name of the model in columns',
    clearable: {
      temperature: `${PARAMETERS}.temperature`,
      'top-p': `${PARAMETERS}.topP`,
      'max-tokens': `${PARAMETERS}.maxTokens`,
      'max-parallel-requests': `${PARAMETERS}.maxParallelRequests`,
      timeout: `${PARAMETERS}.timeout`,
      dimensions: `${PARAMETERS}.dimensions`,
      'extra-body': `${PARAMETERS}.extraBody`,
    },
    withFlags: withModelFlags,
    missing: ({ model, provider }) => {
      if (model === undefined) return 'a model config needs a --model';
      return provider === undefined ? 'a model config needs a --provider' : undefined;
    },
    fieldsOf,
    runWizard: async () => (await import('./wizards/model-config-wizard.ts')).askModelConfigs(),
  });
}

function withModelFlags(command: Command): Command {
  const types = ['chat-completion', 'embedding', 'image'];
  return command
    .option('--model <id>', 'Name of the model at its provider')
    .option('--provider <name>', 'Model provider')
    .addOption(withChoices(new Option('--type <type>', 'What the model makes (default: chat-completion)'), types))
    .option('--temperature <n>', 'chat-completion: sampling temperature', upTo(2))
    .option('--top-p <n>', 'chat-completion: nucleus sampling', upTo(1))
    .option('--max-tokens <n>', 'chat-completion: maximum tokens of an answer', atLeast(1))
    .option('--max-parallel-requests <n>', 'Maximum parallel requests (default: 4)', atLeast(1))
    .option('--timeout <seconds>', 'Time limit of one attempt of a request', atLeast(1))
    .addOption(
      withChoices(new Option('--encoding-format <format>', 'embedding: encoding of vectors'), ['float', 'base64']),
    )
    .option('--dimensions <n>', 'embedding: length of the vectors', atLeast(1))
    .option('--extra-body <json>', 'Further fields of the request body, as a JSON object', jsonObject);
}

function upTo(highest: number): (text: string) => number {
  return parseNumber((value) => value >= 0 && value <= highest, `a number from 0 to ${highest}`);
}

/** The fields; those of the parameters have dotted names, so that an update keeps the other parameters. */
function fieldsOf(flags: ModelFlags): EntryFields {
  const { model, provider, type: generationType, temperature, topP, maxTokens, maxParallelRequests } = flags;
  const { timeout, encodingFormat, dimensions, extraBody } = flags;
  const sampling = { temperature, topP, maxTokens };
  const parameters = {
    generationType,
    ...sampling,
    maxParallelRequests,
    timeout,
    encodingFormat,
    dimensions,
    extraBody,
  };
  const dotted = Object.entries(parameters).map(([name, value]) => [`${PARAMETERS}.${name}`, value]);
  return { model, provider, ...Object.fromEntries(dotted) };
}
