import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { DataDesigner, DataDesignerConfigBuilder, DataDesignerError } from 'data-designer';
import { demoToolsProgram, startSimulator } from '@data-designer/simulator';

const RECIPES = fileURLToPath(new URL('../../../../configs/recipes/', import.meta.url));
const PROTOCOLS = ['openai', 'openai-responses', 'anthropic'] as const;
/** The proxy refuses short keys. It listens on loopback, and ends with the oracle. */
const KEY = 'oracle-of-model-servers-on-loopback';
const ROWS = 4;
const STARTS_WITHIN_MS = 180_000;

const MOCK_CARD = JSON.stringify({
  title: 'Lobio "of beans" 🫘',
  course: 'main',
  minutes: 45,
  ingredients: ['beans', 'walnuts', 'coriander'].map((name) => ({ name, grams: 120.5 })),
});
/** What the proxy answers by itself, by recipe: a text with marks that a translation may change, and an object. */
const MOCKS: Readonly<Record<string, string>> = {
  basics: 'First line: 茶 & <b>"salt"</b> \\ back.\n\n- second – line',
  structured: MOCK_CARD,
  'support-chats': 'I will look [at] it.',
};
/** Recipes that the proxy translates on the way to the simulator. */
const THROUGH = ['basics', 'structured', 'tools', 'support-chats'];
const LOCAL = ['basics', 'structured', 'support-chats'];

type Row = Readonly<Record<string, unknown>>;
type Protocol = (typeof PROTOCOLS)[number];

interface Target {
  readonly endpoint: string;
  readonly protocol: Protocol;
  /** The model's name at the endpoint, by the one in the recipe. */
  readonly model: (name: string) => string;
  readonly apiKey?: string;
}

interface Made {
  readonly rows: readonly Row[];
  /** Why a cell, an answer or the run is not as it should be. */
  readonly wrong: readonly string[];
  /** Kinds of flaws that were counted. */
  readonly flaws: readonly string[];
  readonly tokens: readonly [input: number, output: number];
}

interface Programs {
  /** The program of LiteLLM's proxy. */
  readonly litellm?: string | undefined;
  /** The program of llama.cpp, and a model in its format. */
  readonly llama?: string | undefined;
  readonly model?: string | undefined;
}

/** Recipes that a real server of models answers otherwise than it should, as a line for each. */
export async function askServers({ litellm, llama, model }: Programs): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'servers-'));
  try {
    return [
      ...(litellm === undefined ? [] : await askProxy(litellm, folder)),
      ...(llama === undefined || model === undefined ? [] : await askLocalModel([llama, model], folder)),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** LiteLLM answers by itself, and passes requests on to the simulator, in each protocol. */
async function askProxy(program: string, folder: string): Promise<readonly string[]> {
  await using simulator = await startSimulator();
  const mocked = Object.entries(MOCKS).map(([name, mock_response]) => ({
    model_name: name,
    litellm_params: { model: 'openai/gpt-4o', api_key: 'none', mock_response },
  }));
  const passed = ['sim-small', 'sim-large'].map((name) => ({
    model_name: name,
    litellm_params: { model: `openai/${name}`, api_base: simulator.url, api_key: 'none' },
  }));
  const config = join(folder, 'litellm.yaml');
  writeFileSync(config, JSON.stringify({ model_list: [...mocked, ...passed], litellm_settings: { telemetry: false } }));
  const port = await freePort();
  const env = { LITELLM_MASTER_KEY: KEY, LITELLM_LOCAL_MODEL_COST_MAP: 'True', HOME: folder };
  await using server = await startServer({
    program,
    args: ['--config', config, '--host', '127.0.0.1', '--port', String(port)],
    env,
    ready: `http://127.0.0.1:${port}/health/liveliness`,
    log: join(folder, 'litellm.log'),
  });
  const mistakes: string[] = [];
  for (const protocol of PROTOCOLS) {
    const proxy = { endpoint: `${server.origin}/v1`, protocol, apiKey: KEY };
    for (const [recipe, mock] of Object.entries(MOCKS)) {
      const made = await make(recipe, { ...proxy, model: () => recipe }, folder);
      // All turns of a chat have the same text here.
      const flaws = made.flaws.filter((kind) => kind !== 'repeats');
      mistakes.push(
        ...report(`LiteLLM answers, ${protocol}, ${recipe}`, made, [...flaws, ...wrongAnswers(made.rows, mock)]),
      );
    }
    for (const recipe of THROUGH) {
      const before = await simulator.stats();
      const made = await make(recipe, { ...proxy, model: (name) => name }, folder);
      const after = await simulator.stats();
      const served = [after.promptTokens - before.promptTokens, after.completionTokens - before.completionTokens];
      mistakes.push(
        ...report(`LiteLLM translates, ${protocol}, ${recipe}`, made, [...made.flaws, ...miscounted(made, served)]),
      );
    }
  }
  return mistakes;
}

/** A small model writes the recipes with llama.cpp, whose grammars hold it to schemas. */
async function askLocalModel([program, model]: readonly [string, string], folder: string): Promise<readonly string[]> {
  const port = await freePort();
  const flags = ['-c', '16384', '-np', '4', '--jinja', '--chat-template', 'chatml', '--metrics', '-n', '384'];
  await using server = await startServer({
    program,
    args: ['-m', model, '--host', '127.0.0.1', '--port', String(port), ...flags],
    env: { LD_LIBRARY_PATH: dirname(program) },
    ready: `http://127.0.0.1:${port}/health`,
    log: join(folder, 'llama.log'),
  });
  const mistakes: string[] = [];
  for (const recipe of LOCAL) {
    const before = await servedTokens(server.origin);
    const made = await make(
      recipe,
      { endpoint: `${server.origin}/v1`, protocol: 'openai', model: () => 'local' },
      folder,
    );
    const after = await servedTokens(server.origin);
    mistakes.push(...report(`llama-server, ${recipe}`, made, miscounted(made, [made.tokens[0], after - before])));
  }
  return mistakes;
}

/** Tokens that llama-server has generated. */
async function servedTokens(origin: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^llamacpp:tokens_predicted_total (\d+)/m.exec(metrics)?.[1]);
}

/** Prints what a recipe made, and returns what is wrong with it as lines. */
function report(what: string, made: Made, unlike: readonly string[]): readonly string[] {
  const wrong = [...made.wrong, ...unlike];
  const [input, output] = made.tokens;
  const figures = `${made.rows.length} rows, ${input} tokens in, ${output} out`;
  process.stdout.write(
    `${wrong.length === 0 ? 'good ' : 'WRONG'}  ${what}: ${[figures, ...wrong].join('; ').slice(0, 1500)}\n`,
  );
  return wrong.map((one) => `${what}: ${one}`);
}

/** Makes rows of a recipe at an endpoint. */
async function make(recipe: string, { endpoint, protocol, model, apiKey }: Target, folder: string): Promise<Made> {
  const file = join(folder, `${recipe}.yaml`);
  const text = readFileSync(join(RECIPES, `${recipe}.yaml`), 'utf8');
  writeFileSync(
    file,
    text.replaceAll(/^( +model: )(sim-\w+)$/gm, (_, key: string, name: string) => `${key}${model(name)}`),
  );
  const tools = fileURLToPath(demoToolsProgram);
  await using designer = new DataDesigner({
    artifactPath: join(folder, 'made'),
    providers: {
      models: [{ name: 'simulator', endpoint, providerType: protocol, apiKey: apiKey ?? 'none' }],
      tools: [{ name: 'demo-tools', command: process.execPath, args: [...sourceFlag(tools), tools] }],
    },
    runConfig: { seed: 7 },
  });
  try {
    const config = await DataDesignerConfigBuilder.fromConfig(file);
    const results = await designer.create(config, { numRecords: ROWS, datasetName: recipe, resume: 'never' });
    const failures = await Array.fromAsync(results.failures());
    const usage = Object.values(results.usage);
    const rows: readonly Row[] = await Array.fromAsync(results.records());
    return {
      rows,
      wrong: [
        ...(rows.length === ROWS ? [] : [`${rows.length} of ${ROWS} rows`]),
        ...Object.entries(results.tools).flatMap(([name, { errors }]) =>
          errors === 0 ? [] : [`${errors} errors of ${name}`],
        ),
        ...failures.map(({ column, code, message }) => `${column}: ${code}: ${message}`),
      ],
      flaws: results.flaws.flatMap((one) =>
        Object.entries(one).flatMap(([kind, count]) => (typeof count === 'number' && count > 0 ? [kind] : [])),
      ),
      tokens: [sum(usage.map((one) => one.inputTokens)), sum(usage.map((one) => one.outputTokens))],
    };
  } catch (error) {
    if (!(error instanceof DataDesignerError)) throw error;
    return { rows: [], wrong: [`${error.code}: ${error.message}`], flaws: [], tokens: [0, 0] };
  }
}

function sourceFlag(program: string): readonly string[] {
  return program.endsWith('.ts') ? ['--conditions=@data-designer/source'] : [];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Texts of models that are not what the proxy answered. */
function wrongAnswers(rows: readonly Row[], mock: string): readonly string[] {
  const texts = rows.flatMap((row) => [
    ...['review', 'reply', 'menu_line'].flatMap((name) => (name in row ? [row[name]] : [])),
    ...('dish' in row ? [JSON.stringify(row['dish'])] : []),
    ...('chat' in row ? (row['chat'] as readonly { readonly content: unknown }[]).map(({ content }) => content) : []),
  ]);
  const other = texts.find((text) => typeof text !== 'string' || !(text.trim() === mock || isPrompt(text)));
  if (texts.length === 0) return ['no answer was stored'];
  return other === undefined ? [] : [`${JSON.stringify(other)} is not ${JSON.stringify(mock)}`];
}

/** A conversation begins with the assistant's instructions, which no model wrote. */
function isPrompt(text: string): boolean {
  return text.startsWith('You work at the help desk');
}

/** Tokens of a run that are not those of the server that answered. */
function miscounted({ tokens }: Made, served: readonly number[]): readonly string[] {
  return isDeepStrictEqual(tokens, served)
    ? []
    : [`${tokens.join(' and ')} tokens counted, ${served.join(' and ')} served`];
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });
}

interface Start {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** An address that answers once the server is ready. */
  readonly ready: string;
  readonly log: string;
}

interface Started extends AsyncDisposable {
  readonly origin: string;
}

async function startServer({ program, args, env, ready, log }: Start): Promise<Started> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = createWriteStream(log);
  child.stdout.pipe(written, { end: false });
  child.stderr.pipe(written, { end: false });
  const server = { origin: new URL(ready).origin, [Symbol.asyncDispose]: () => end(child) };
  const until = Date.now() + STARTS_WITHIN_MS;
  while (Date.now() < until && child.exitCode === null) {
    const isReady = await fetch(ready).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return server;
    await sleep(200);
  }
  await end(child);
  throw new Error(`${program} did not start:\n${readFileSync(log, 'utf8').slice(-2000)}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}
