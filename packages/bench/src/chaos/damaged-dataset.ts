import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CreateOptions, DataDesigner, type DatasetCreationResults } from 'data-designer';

/** A picture of one point. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAACAAAB4iG8MwAAAABJRU5ErkJggg==';
const ROWS = 12;
const GROUP = 4;
/** The text of a prompt that the model refuses. */
const REFUSED = 'salt';

const sampler = (name: string, type: string, params: object) => ({
  name,
  column_type: 'sampler',
  sampler_type: type,
  params,
});

const modelOf = (alias: string, more: object = {}) => ({
  alias,
  model: alias,
  provider: 'local',
  skip_health_check: true,
  ...more,
});

/** Side tables, dropped columns, images and failed cells, with or without a selection. */
function configOf(select: boolean): object {
  const selection = { unique: [{ exact: ['n'] }], keep_rejected: true, keep_candidates: true, max_candidates: 60 };
  return {
    model_configs: [modelOf('painter', { inference_parameters: { generation_type: 'image' } }), modelOf('writer')],
    columns: [
      sampler('n', 'uniform', { low: 0, high: 30, decimal_places: 0 }),
      { ...sampler('hidden', 'uuid', {}), drop: true },
      sampler('topic', 'category', { values: ['moon', REFUSED] }),
      { name: 'title', column_type: 'expression', expr: '{{ topic }} {{ n }} {{ hidden }}' },
      { name: 'art', column_type: 'image', model_alias: 'painter', prompt: 'Draw {{ n }}.' },
      { name: 'text', column_type: 'llm-text', model_alias: 'writer', prompt: 'About {{ title }}', on_failure: 'null' },
    ],
    processors: [{ processor_type: 'schema_transform', name: 'chats', template: { about: '{{ title }}' } }],
    ...(select && { select: selection }),
  };
}

/** A server of two models: one draws, and the other fails for some prompts. */
class LocalModels implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => answer(Buffer.concat(pieces).toString(), response));
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function answer(request: string, response: ServerResponse): void {
  const isRefused = request.includes(`About ${REFUSED}`);
  response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
  const images = [{ image_url: { url: `data:image/png;base64,${PNG}` } }];
  const message = { role: 'assistant', content: 'Seen.', ...(request.includes('"painter"') && { images }) };
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  const body = isRefused
    ? { error: { message: 'no such topic' } }
    : { choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
  response.end(JSON.stringify(body));
}

/** A dataset that is made, and resumed after each damage. */
interface MadeFolder {
  readonly name: string;
  readonly select: boolean;
  readonly seed: number;
}

/** Makes the datasets that are damaged, and resumes them. */
export class DatasetMaker implements AsyncDisposable {
  readonly #models = new LocalModels();
  readonly #folder: string;
  #endpoint: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes a dataset with reviews, and returns its folder. */
  async make(made: MadeFolder): Promise<string> {
    const results = await this.#create(made);
    for (const [row, verdict] of (['accept', 'reject', 'accept'] as const).entries()) {
      await results.addReview({ row, verdict, comment: `seen ${made.seed}` });
    }
    await results.loadAnalysis();
    return results.path;
  }

  /** Resumes a dataset, and tells the events of the run. */
  async resume(made: MadeFolder, onEvent: NonNullable<CreateOptions['onEvent']>): Promise<void> {
    await this.#create(made, { resume: 'always', onEvent });
  }

  async #create({ name, select, seed }: MadeFolder, options: CreateOptions = {}): Promise<DatasetCreationResults> {
    this.#endpoint ??= await this.#models.start();
    const provider = { name: 'local', providerType: 'openai', endpoint: this.#endpoint } as const;
    await using designer = new DataDesigner({
      artifactPath: this.#folder,
      providers: { models: [{ ...provider, apiKey: null, extraBody: null, extraHeaders: null }], tools: [] },
      runConfig: { bufferSize: GROUP, compact: false, seed },
    });
    const declared = { document: configOf(select), source: 'chaos' };
    return await designer.create(declared, { numRecords: ROWS, datasetName: name, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#models[Symbol.asyncDispose]();
  }
}
