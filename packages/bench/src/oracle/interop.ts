import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DataDesigner, DataDesignerError, loadDataset } from 'data-designer';
import { startSimulator } from '@data-designer/simulator';

const SCRIPT = join(import.meta.dirname, 'interop.py');
/** Both tools make five rows in groups of two, and the other tool continues with three more. */
const [ROWS, MORE, GROUP] = [5, 8, 2];

type Rows = readonly Readonly<Record<string, unknown>>[];

/** One declaration, and what is expected of each direction. */
interface InteropCase {
  readonly name: string;
  readonly columns: readonly object[];
  readonly seeded?: boolean;
  /** A JSON Schema that the endpoint holds every answer to: the Python tool sends none. */
  readonly shape?: object;
  /** Run settings of ours. */
  readonly settings?: object;
  /** Whether the Python tool must refuse to continue our dataset. */
  readonly isRefused?: boolean;
}

const TOPIC = { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: ['tea', 'salt'] } };
const ID = { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} };
const SAID = {
  name: 'said',
  column_type: 'llm-text',
  model_alias: 'writer',
  prompt: 'A fact about {{ topic }} {{ id }}.',
};
const CARD = {
  name: 'card',
  column_type: 'llm-structured',
  model_alias: 'writer',
  prompt: 'A card about {{ topic }} {{ id }}.',
  output_format: {
    type: 'object',
    properties: { title: { type: 'string' }, price: { anyOf: [{ type: 'number' }, { type: 'string' }] } },
    required: ['title', 'price'],
  },
};
const OPEN_CARD = {
  ...CARD,
  output_format: {
    type: 'object',
    properties: { title: { type: 'string' }, more: { type: 'object', additionalProperties: { type: 'integer' } } },
    required: ['title', 'more'],
  },
};
const TRACED = { ...SAID, with_trace: 'all_messages', extract_reasoning_content: true };

const CASES: readonly InteropCase[] = [
  { name: 'samplers and text', columns: [TOPIC, ID, SAID] },
  { name: 'no samplers', columns: [{ ...SAID, prompt: 'Say a word.' }] },
  {
    name: 'a seed',
    seeded: true,
    columns: [
      { name: 'word', column_type: 'expression', expr: '{{ k }}-{{ v }}' },
      { ...SAID, prompt: 'On {{ v }}.' },
    ],
  },
  {
    name: 'a struct',
    columns: [TOPIC, ID, CARD],
    shape: { ...CARD.output_format, properties: { title: { type: 'string' }, price: { type: 'number' } } },
  },
  { name: 'dropped columns', columns: [TOPIC, { ...ID, drop: true }, SAID] },
  { name: 'traces', columns: [TOPIC, ID, TRACED], isRefused: true },
  { name: 'traces in the layout of Python', columns: [TOPIC, ID, TRACED], settings: { pythonLayout: true } },
  { name: 'open members', columns: [TOPIC, ID, OPEN_CARD], shape: OPEN_CARD.output_format, isRefused: true },
  {
    name: 'open members in the layout of Python',
    columns: [TOPIC, ID, OPEN_CARD],
    shape: OPEN_CARD.output_format,
    settings: { pythonLayout: true },
  },
  { name: 'merged files', columns: [TOPIC, ID, SAID], settings: { compact: true }, isRefused: true },
];

/** Datasets made by one tool and continued by the other, as a line for each case and direction that failed. */
export async function askInterop(python: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'interop-'));
  const seed = join(folder, 'seed.csv');
  writeFileSync(seed, `k,v\n${Array.from({ length: 20 }, (_, row) => `${row},word ${row}`).join('\n')}\n`);
  await using simulator = await startSimulator();
  const mistakes: string[] = [];
  try {
    for (const one of CASES) {
      const tools = new BothTools({ python, folder, endpoint: simulator.url, seed, one });
      for (const direction of ['oursFirst', 'pythonFirst'] as const) {
        const found = await tools[direction]();
        process.stdout.write(
          `${found === undefined ? 'equal' : 'DIFFERENT'}  ${one.name}, ${direction}${found === undefined ? '' : `: ${found}`}\n`,
        );
        if (found !== undefined) mistakes.push(`${one.name}, ${direction}: ${found}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return mistakes;
}

interface Setting {
  readonly python: string;
  readonly folder: string;
  readonly endpoint: string;
  readonly seed: string;
  readonly one: InteropCase;
}

class BothTools {
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** We begin, the Python tool adds rows, and we read and continue the result. */
  async oursFirst(): Promise<string | undefined> {
    const name = `ours-${this.#setting.one.name.replaceAll(' ', '-')}`;
    const begun = await this.#ours(name, ROWS, 'never');
    if (typeof begun === 'string') return begun;
    const grown = await this.#python(name, MORE, 'always');
    if (this.#setting.one.isRefused === true) {
      return typeof grown === 'string' ? undefined : 'the Python tool continued it';
    }
    if (typeof grown === 'string') return grown;
    return rowsMistake(begun, grown) ?? (await this.#readAgain(name, grown));
  }

  /** The Python tool begins, we add rows, and the Python tool reads the result. */
  async pythonFirst(): Promise<string | undefined> {
    const name = `python-${this.#setting.one.name.replaceAll(' ', '-')}`;
    const begun = await this.#python(name, ROWS, 'never');
    if (typeof begun === 'string') return begun;
    const loaded = await Array.fromAsync((await loadDataset(join(this.#setting.folder, name))).records());
    const unlike = loaded.length === ROWS ? rowsMistake(begun, loaded) : `we load ${loaded.length} rows`;
    if (unlike !== undefined) return unlike;
    const grown = await this.#ours(name, MORE, 'always');
    if (typeof grown === 'string') return grown;
    const read = await this.#python(name, MORE, 'always');
    return typeof read === 'string' ? read : (rowsMistake(begun, grown) ?? rowsMistake(grown, read));
  }

  async #readAgain(name: string, expected: Rows): Promise<string | undefined> {
    const read = await this.#ours(name, MORE, 'always');
    return typeof read === 'string' ? read : rowsMistake(expected, read);
  }

  #config(): object {
    const { one, seed } = this.#setting;
    const shape = one.shape && { type: 'json_schema', json_schema: { name: 'card', schema: one.shape } };
    const inference = shape ? { inference_parameters: { extra_body: { response_format: shape } } } : {};
    return {
      data_designer: {
        columns: one.columns,
        model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator', ...inference }],
        ...(one.seeded === true ? { seed_config: { source: { seed_type: 'local', path: seed } } } : {}),
      },
    };
  }

  async #ours(name: string, numRecords: number, resume: 'never' | 'always'): Promise<Rows | string> {
    const { folder, endpoint, one } = this.#setting;
    const providers = { models: [{ name: 'simulator', endpoint, providerType: 'openai' as const, apiKey: 'none' }] };
    const runConfig = { bufferSize: GROUP, ...one.settings };
    await using designer = new DataDesigner({ artifactPath: folder, providers, runConfig });
    try {
      const declared = { document: this.#config(), source: one.name };
      const results = await designer.create(declared, { numRecords, datasetName: name, resume });
      return await Array.fromAsync(results.records());
    } catch (failure) {
      return failure instanceof DataDesignerError ? `ours: ${failure.code}: ${failure.message}` : String(failure);
    }
  }

  async #python(name: string, rows: number, resume: 'never' | 'always'): Promise<Rows | string> {
    const { python, folder, endpoint } = this.#setting;
    const job = { artifacts: folder, endpoint, buffer_size: GROUP, config: this.#config(), rows, name, resume };
    const said = await run(python, JSON.stringify(job), folder);
    const line = /^RESULT (.*)$/m.exec(said)?.[1];
    if (line === undefined) return `python: ${said.slice(-500)}`;
    const result = JSON.parse(line) as { readonly rows: Rows } | { readonly failure: string };
    return 'rows' in result ? result.rows : `python: ${result.failure}`;
  }
}

function run(python: string, input: string, home: string): Promise<string> {
  const env = { ...process.env, HOME: home, NEMO_TELEMETRY_ENABLED: 'false' };
  return new Promise((resolve) => {
    const child = execFile(python, [SCRIPT], { env, maxBuffer: 64 * 1024 * 1024 }, (_, stdout, stderr) => {
      resolve(stdout.includes('RESULT ') ? stdout : stdout + stderr);
    });
    child.stdin?.end(input);
  });
}

/** The first difference in the rows that both have; content of traces and absent members may be stored in two ways. */
function rowsMistake(first: Rows, second: Rows): string | undefined {
  for (const [index, row] of first.entries()) {
    const other = second[index];
    for (const name of Object.keys(row)) {
      if (name.endsWith('__trace')) continue;
      const [a, b] = [withoutNulls(row[name]), withoutNulls(other?.[name])];
      if (!isDeepStrictEqual(a, b)) return `row ${index}, ${name}: ${JSON.stringify(a)} and ${JSON.stringify(b)}`;
    }
  }
  return second.length === MORE || second.length === first.length ? undefined : `${second.length} rows`;
}

/** A value without null members: the type of a batch gives a struct members that only others have. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}
