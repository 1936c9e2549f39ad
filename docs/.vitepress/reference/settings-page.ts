import { basename } from 'node:path';
import { fileSchema, homeFolder, runConfig, SETTINGS_WITHOUT_EFFECT } from '@data-designer/config';
import { fieldsOf } from '@data-designer/core';
import { code, page, prose, table } from './markdown.ts';
import { KeyTables } from './schema-text.ts';

/** Environment variables that the program reads by name; a test finds each one in the sources. */
export const VARIABLES: Readonly<Record<string, string>> = {
  DATA_DESIGNER_ASYNC_TRACE: 'Set to `1` for the effect of the run setting `async_trace` in every run.',
  DATA_DESIGNER_HOME: 'The home folder, instead of `~/.data-designer`.',
  DATA_DESIGNER_MANAGED_ASSETS_PATH:
    'The folder of installed collections of people, instead of `managed-assets` in the home folder.',
  DATA_DESIGNER_CLUSTER_PASSWORD:
    'The password of the Redis server of a cluster, if the address of `--cluster` has no password.',
  DATA_DESIGNER_CLUSTER_SENTINEL_PASSWORD: 'The password of the Sentinels of a cluster, if they ask for one.',
  DATA_DESIGNER_MCP_TOKEN:
    'The bearer token that clients of `data-designer mcp serve --http` must send. Without it the server accepts every client on this machine.',
  DATA_DESIGNER_SKIP_MODEL_HEALTH_CHECKS: 'Set to `1` to start runs without a test request to each model.',
  HF_ENDPOINT:
    'The address of the Hugging Face Hub for `push`; the default is `https://huggingface.co`. Seeds have `endpoint`.',
  HF_TOKEN: 'The token for Hugging Face datasets, read by `push` and by a seed with `token: HF_TOKEN`.',
  HF_TOKEN_PATH:
    'The file with the token for `push`, if `HF_TOKEN` is not set. The default is `token` in the folder `HF_HOME`, or in `~/.cache/huggingface`, where `hf auth login` stores it.',
  HTTP_PROXY:
    'The proxy for model requests to `http:` addresses; also `http_proxy`. Requests to this machine, tools and downloads use no proxy.',
  HTTPS_PROXY: 'The proxy for model requests to `https:` addresses; also `https_proxy`.',
  NO_PROXY: 'Hosts to which model requests go without a proxy, separated by commas; also `no_proxy`.',
  NGC_CLI_API_KEY:
    'The key for NVIDIA NGC, which the program `ngc` reads. With it, `download personas` does not need the file `~/.ngc/config`.',
  NO_COLOR: 'Set to any text to print without colours.',
  NODE_COMPILE_CACHE:
    'The folder for compiled code. The default is the folder `data-designer` in the cache folder of the user.',
};

/** Run settings, environment variables and the home folder. */
export function settingsPage(): string {
  const schema = fileSchema(runConfig);
  const ignored = new Set<string>(SETTINGS_WITHOUT_EFFECT.map(snake));
  const properties = Object.fromEntries(
    Object.entries(fieldsOf(schema.properties)).filter(([key]) => !ignored.has(key)),
  );
  return page('Run settings', [
    'Run settings control how a run is carried out: its seed, its limits, and how it retries. They are no part of a config. On the command line they are a YAML or JSON file, `--run-config settings.yaml`. In TypeScript they are `runConfig` of `new DataDesigner({ runConfig })`, with keys in `camelCase`.',
    '## Keys of a run config',
    ...new KeyTables().render({ ...schema, properties }, { level: 3, owner: 'a run config' }),
    `These settings of the Python tool are accepted and have no effect: ${[...ignored].map(code).join(', ')}. A warning names those that you change.`,
    'The older names `progress_bar` (for `display_tui`) and `throttle` (for `request_admission`) are accepted too.',
    '## Home folder',
    'The home folder holds the providers, models and tools that you use in every project. It is `~/.data-designer`, unless `DATA_DESIGNER_HOME` names another folder. Nothing is written there until you run a `config` command, such as `data-designer config init`, install a collection with `download personas`, or use a seed of the Hugging Face Hub.',
    table(['File', 'Contents', 'Without the file'], homeFiles()),
    'If several providers have the same name, a `--providers` file comes before the home folder, and the home folder before the built-in providers.',
    '## Environment variables',
    table(
      ['Variable', 'Effect'],
      Object.entries(VARIABLES).map(([name, effect]) => [code(name), prose(effect)]),
    ),
    'Providers name the variables of their API keys: `api_key: ${OPENAI_API_KEY}` or `api_key: OPENAI_API_KEY`. A variable whose name ends in `_KEY`, `_TOKEN` or `_SECRET` must be set when the run starts.',
    'The command line also reads the file `.env` of the working folder. It takes only variables whose names mark them as keys, such as `OPENAI_API_KEY` or `MY_TOKEN`, and only those that the environment does not set.',
  ]);
}

function homeFiles(): string[][] {
  const { files, executionProviders } = homeFolder();
  return [
    [
      code(basename(files.modelProviders)),
      '`providers: [...]`: [model providers](./models#model-providers)',
      'the built-in model providers',
    ],
    [
      code(basename(files.modelConfigs)),
      '`model_configs: [...]`: [models](./models#models) for configs that declare none',
      'the [built-in models](./models#built-in-models)',
    ],
    [code(basename(files.mcpProviders)), '`providers: [...]`: [MCP providers](./tools#mcp-providers)', 'none'],
    [
      code(basename(files.toolConfigs)),
      '`tool_configs: [...]`: [tool configs](./tools#tool-configs) that any config may name',
      'none',
    ],
    [
      code(basename(executionProviders)),
      '`providers: [...]`: [execution providers](./tools#execution-providers)',
      'none',
    ],
  ];
}

function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
