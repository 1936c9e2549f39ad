import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stringifyJson } from '@data-designer/core';
import { readDataset } from '@data-designer/dataset';

/** Requests to the model under way at a time, at most. */
export const MAX_IN_FLIGHT = 8;

const SMALL = { rows: 40, group: 8 };
const NAME = 'made';

const CONFIG = {
  model_configs: [
    {
      alias: 'writer',
      model: 'sim-small',
      provider: 'counted',
      inference_parameters: { max_parallel_requests: MAX_IN_FLIGHT },
    },
  ],
  tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'] }],
  columns: [
    { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
    { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: ['moon', 'salt', 'bees'] } },
    { name: 'title', column_type: 'expression', expr: '{{ topic | upper }} {{ id }}' },
    {
      name: 'fact',
      column_type: 'llm-text',
      model_alias: 'writer',
      tool_alias: 'facts',
      with_trace: true,
      prompt: '{{ title }}: a fact about {{ topic }}, with the tool get_fact.',
    },
    {
      name: 'short',
      column_type: 'llm-text',
      model_alias: 'writer',
      with_trace: true,
      prompt: 'Shorter, for {{ id }}: {{ fact }}',
    },
    {
      name: 'chat',
      column_type: 'conversation',
      turns: { min: 1, max: 3 },
      opening: 'Explain {{ topic }} for {{ id }}.',
      user: { model_alias: 'writer', system_prompt: 'You ask about {{ topic }}, number {{ id }}.', stop: '[DONE]' },
      assistant: { model_alias: 'writer', system_prompt: 'Use the tool get_fact.', tool_alias: 'facts' },
      with_trace: true,
    },
    {
      name: 'title_of_chat',
      column_type: 'llm-text',
      model_alias: 'writer',
      history: 'chat',
      prompt: 'A title for {{ id }}.',
      with_trace: true,
    },
  ],
};

/** The rows and files of a dataset that is made. */
export interface MadeDataset {
  readonly rows: readonly string[];
  readonly files: readonly string[];
}

/** The folder of one dataset of the chaos runs: local columns, answers with and without tools, a conversation, and traces. */
export class ChaosDataset {
  readonly folder: string;
  readonly path: string;
  readonly #endpoint: string;
  readonly #rows: number;

  /** Writes config, providers and settings into a folder of its own; the model is at the endpoint. */
  constructor(folder: string, endpoint: string, { rows, group } = SMALL) {
    this.folder = folder;
    this.path = join(folder, NAME);
    this.#endpoint = endpoint;
    this.#rows = rows;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.json'), JSON.stringify(CONFIG));
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ buffer_size: group }));
    writeFileSync(join(folder, 'providers.json'), JSON.stringify({ providers: [{ name: 'counted', endpoint }] }));
  }

  /** The file of the providers of one machine, by whose name the model knows it. */
  providersOf(sender: string): string {
    const path = join(this.folder, `providers-${sender}.json`);
    const provider = { name: 'counted', endpoint: this.#endpoint, extra_headers: { 'user-agent': sender } };
    writeFileSync(path, JSON.stringify({ providers: [provider] }));
    return path;
  }

  /** The command that makes it, or goes on with it where it was begun. */
  get command(): readonly string[] {
    return this.commandWith(join(this.folder, 'providers.json'));
  }

  /** The command with a file of providers. */
  commandWith(providers: string): readonly string[] {
    const [config = '', settings = ''] = ['config.json', 'settings.json'].map((name) => join(this.folder, name));
    const files = [config, '--providers', providers, '-c', settings];
    // A run that was killed right after it made its folder has left nothing to continue.
    const isBegun = existsSync(this.path) && readdirSync(this.path).length > 0;
    const resume = isBegun ? ['-r', 'always'] : [];
    return ['create', ...files, '-n', `${this.#rows}`, '-o', this.folder, '-d', NAME, '--seed', '7', ...resume];
  }

  /** The rows in order, each as JSON text, conversations included. */
  async rows(): Promise<readonly string[]> {
    const rows: string[] = [];
    for await (const row of readDataset(this.path)) rows.push(stringifyJson(row));
    return rows;
  }

  /** The paths of all its files, in order. */
  files(): readonly string[] {
    const entries = readdirSync(this.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return entries.map(({ parentPath, name }) => relative(this.path, join(parentPath, name))).toSorted();
  }

  /** What its models were asked, as `metadata.json` says, as JSON text. */
  usage(): string {
    const { usage }: { readonly usage: unknown } = JSON.parse(readFileSync(join(this.path, 'metadata.json'), 'utf8'));
    return JSON.stringify(usage);
  }

  /** What differs from a dataset that nobody disturbed: one sentence each. */
  async differencesFrom(undisturbed: MadeDataset): Promise<readonly string[]> {
    const rows = await this.rows();
    const differs = rows.findIndex((row, index) => row !== undisturbed.rows[index]);
    const files = this.files();
    return [
      rows.length !== undisturbed.rows.length && `it has ${rows.length} rows, not ${undisturbed.rows.length}`,
      differs >= 0 && `row ${differs} is another one: ${rows[differs]?.slice(0, 500)}`,
      files.join() !== undisturbed.files.join() && `its files are ${files.join(', ')}`,
    ].filter((fault) => fault !== false);
  }
}
