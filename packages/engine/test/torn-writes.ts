import type { ServerResponse } from 'node:http';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import type { MCPProvider } from '@data-designer/config';
import { type Address, type Plan, stringifyJson } from '@data-designer/core';
import { demoToolsProgram, type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { addressKey } from '../../gateway/src/journal/journal.ts';
import type { ProviderRouter } from '../../gateway/src/provider-router.ts';
import { markedGroupOf } from '../../dataset/src/dataset-paths.ts';
import { spanOf } from '../../dataset/src/formats/batch-files.ts';
import { pageDecompressors } from '../../dataset/src/formats/parquet/parquet-codec.ts';
import { type Crash, CrashedDisk, CRASHES } from './crashed-disk.ts';
import { completion, reply } from '@data-designer/testing/answering-server';
import { placeKey } from '../../dataset/src/journal/journal-file.ts';
import { AnsweringModels, type Asked, refuse, say } from '../../gateway/test/answering-models.ts';
import { entriesIn, modelServer } from '../../gateway/test/open-group.ts';
import { planOf, sampled } from './plan-of.ts';
import { type FileOperation, linesOf, RecordedFiles } from '../../dataset/test/recorded-files.ts';
import { openRouter, runHere } from './run-here.ts';

const GROUP = 3;
/** The row group that the recorded run leaves unfinished, for the next one. */
const UNFINISHED = 2;
const DATASET = 'made';
const BATCHES = `${DATASET}/parquet-files`;
const JOURNALS = `${DATASET}/journal`;
const SEGMENT = /^made\/journal\/(?:lost\/)?group_\d+\/\d+\.journal$/;
/** Without the journals of lost rows, which hold copies. */
const OPEN_SEGMENT = /^made\/journal\/group_\d+\/\d+\.journal$/;

/**
 * Three groups of cells that call tools, cells that are made of them, a column that is left out of the dataset, and two
 * side tables. The rows without a request are the first to be made.
 */
function smallPlan(): Plan {
  return planWith([SHORT]);
}

const SHORT = { name: 'short', column_type: 'llm-text', model_alias: 'writer', prompt: 'Shorter: {{ fact }}' };
const POINTS = { type: 'object', properties: { points: { type: 'integer' } }, required: ['points'] };

/** The same with cells of a model that can be out of order: it refuses one topic, and answers another with no JSON. */
function losingPlan(): Plan {
  const judged = { model_alias: 'judge' };
  const short = { ...SHORT, ...judged, prompt: 'Shorter for {{ topic }}: {{ fact }}' };
  const prompt = 'Mark {{ topic }} {{ id }}';
  return planWith([short, { name: 'mark', column_type: 'llm-structured', ...judged, prompt, output_format: POINTS }]);
}

function planWith(columns: readonly object[]): Plan {
  const writer = { alias: 'writer', model: 'sim-small', provider: 'here' };
  const text = { column_type: 'llm-text', model_alias: 'writer' };
  const prompt = 'A fact about {{ topic }} {{ id }}, with the tool get_fact.';
  const document = {
    model_configs: [writer, { alias: 'judge', model: 'judge', provider: 'own' }].map((model) => {
      return { ...model, inference_parameters: { max_parallel_requests: 4 } };
    }),
    tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'] }],
    columns: [
      sampled('id', 'uuid', { params: {} }),
      { ...sampled('topic', 'category', { params: { values: ['moon', 'salt', 'bees'] } }), drop: true },
      { name: 'fact', ...text, tool_alias: 'facts', with_trace: true, prompt, skip: { when: "{{ topic == 'moon' }}" } },
      ...columns,
    ],
    processors: [
      { name: 'chats', processor_type: 'schema_transform', template: { q: '{{ topic }} {{ id }}', a: '{{ fact }}' } },
      { name: 'texts', processor_type: 'schema_transform', template: { text: '{{ short }}' } },
    ],
  };
  return planOf(document, { numRecords: 3 * GROUP, run: { bufferSize: GROUP, maxConversationRestarts: 0 } });
}

/** What a dataset has to have, however it came to be. */
interface Made {
  readonly rows: readonly string[];
  readonly files: readonly string[];
  readonly usage: string;
}

/** A crash after so many recorded operations, and what is wrong with the dataset that is resumed from what it leaves. */
export interface CrashReport {
  readonly operations: number;
  readonly crash: Crash;
  readonly faults: readonly string[];
}

/** The servers of recorded runs. */
interface Servers extends AsyncDisposable {
  readonly folder: string;
  readonly simulator: RunningSimulator;
  readonly judges: AnsweringModels;
  readonly router: ProviderRouter;
}

async function openServers(plan: Plan): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), 'torn-writes-'));
  const simulator = await startSimulator();
  const judges = await AnsweringModels.open();
  const models = [modelServer('here', simulator.url), modelServer('own', judges.endpoint)];
  const router = openRouter(plan, { models, tools: [DEMO_TOOLS] });
  const close = async (): Promise<void> => {
    await router[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
    judges[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  };
  return { folder, simulator, judges, router, [Symbol.asyncDispose]: close };
}

/** The run whose crashes are looked at, and what came before it. */
interface RecordedRun {
  readonly servers: Servers;
  readonly plan: () => Plan;
  readonly operations: readonly FileOperation[];
  readonly made: Made;
  /** The number of operations of the runs before it. */
  readonly begin: number;
  /** The cells that it makes anew although they had answers, by `placeKey`; undefined if it makes no lost rows. */
  readonly anew?: ReadonlySet<string>;
}

/** A recorded run, of which any beginning can be left by a crash and resumed. Everything happens in this thread. */
export class TornWrites implements AsyncDisposable {
  readonly #run: RecordedRun;
  readonly #operations: readonly FileOperation[];

  private constructor(run: RecordedRun) {
    this.#run = run;
    this.#operations = run.operations;
  }

  /** Makes a small dataset with model and tool cells, in two runs, and records what is done to its files. */
  static async record(): Promise<TornWrites> {
    const servers = await openServers(smallPlan());
    const { router, folder } = servers;
    const artifactPath = join(folder, 'recorded');
    mkdirSync(artifactPath);
    using recorded = new RecordedFiles(artifactPath);
    await runHere({ plan: smallPlan(), router, artifactPath, resume: false, ending: UNFINISHED });
    const made = await madeIn(await runHere({ plan: smallPlan(), router, artifactPath, resume: true }));
    return new TornWrites({ servers, plan: smallPlan, operations: recorded.operations, made, begin: 0 });
  }

  /** Makes a small dataset that loses rows, then the lost rows, and records what the second run does to its files. */
  static async recordRetry(): Promise<TornWrites> {
    const servers = await openServers(losingPlan());
    const { router, folder, judges } = servers;
    const artifactPath = join(folder, 'recorded');
    mkdirSync(artifactPath);
    using recorded = new RecordedFiles(artifactPath);
    judges.answer = (asked, response) => judge(asked, response, { isBroken: true });
    const path = await runHere({ plan: losingPlan(), router, artifactPath, resume: false });
    const begin = recorded.operations.length;
    const failed = readFileSync(join(path, 'failures.jsonl'), 'utf8').trim().split('\n');
    const anew = new Set(failed.map((line) => placeKey(JSON.parse(line) as { row: number; column: string })));
    judges.answer = (asked, response) => judge(asked, response, { isBroken: false });
    const retry = { plan: losingPlan(), router, artifactPath, resume: true, retryLost: true };
    const made = await madeIn(await runHere(retry));
    return new TornWrites({ servers, plan: losingPlan, operations: [...recorded.operations], made, begin, anew });
  }

  /** How many operations a crash can come after. */
  get length(): number {
    return this.#operations.length - this.#run.begin;
  }

  /** The rows of the recorded run. */
  get rows(): readonly string[] {
    return this.#run.made.rows;
  }

  /** What was done to its files, in words. */
  get lines(): readonly string[] {
    return linesOf(this.#operations.slice(this.#run.begin));
  }

  /** The rows that a run without faults makes. */
  async rowsWithoutFaults(): Promise<readonly string[]> {
    const { servers, plan } = this.#run;
    const artifactPath = mkdtempSync(join(servers.folder, 'whole-'));
    const path = await runHere({ plan: plan(), router: servers.router, artifactPath, resume: false });
    return (await madeIn(path)).rows;
  }

  /** Resumes from every crash that is chosen, by its kind and the number of operations before it. */
  async *resumeFrom(isChosen: (operations: number, crash: Crash) => boolean): AsyncGenerator<CrashReport> {
    const disk = new CrashedDisk();
    for (const [done, operation] of this.#operations.entries()) {
      const since = done - this.#run.begin;
      for (const crash of CRASHES) {
        if (since >= 0 && isChosen(since, crash)) yield await this.#resume({ disk, done, crash });
      }
      disk.apply(operation);
    }
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#run.servers[Symbol.asyncDispose]();
  }

  async #resume({ disk, done, crash }: { disk: CrashedDisk; done: number; crash: Crash }): Promise<CrashReport> {
    const { servers, plan, made, anew } = this.#run;
    const { folder, simulator, judges, router } = servers;
    const artifactPath = mkdtempSync(join(folder, `${done}-${crash}-`));
    disk.leave(artifactPath, crash, this.#operations[done]);
    const path = join(artifactPath, DATASET);
    // Its process is this one, which goes on: that the lock of a dead one is taken over has a test of its own.
    if (existsSync(path)) for (const name of readdirSync(path)) if (name.startsWith('.lock')) rmSync(join(path, name));
    const resume = existsSync(path) && readdirSync(path).length > 0;
    const faults: string[] = [];
    try {
      await fetch(`${simulator.origin}/stats/reset`, { method: 'POST' });
      judges.asked = [];
      using recorded = new RecordedFiles(artifactPath);
      await runHere({ plan: plan(), router, artifactPath, resume, retryLost: anew !== undefined });
      faults.push(...differences(await madeIn(path), made));
      const journaled = entriesWritten(recorded.operations, OPEN_SEGMENT);
      const requests = (await simulator.stats()).requests + judges.asked.length;
      if (journaled.filter(({ path: asked }) => asked !== 'tools/call').length !== requests)
        faults.push(`${requests} requests were sent, of which not all stand in journals`);
      const safe = this.#safe(disk, done, crash !== 'killed');
      const again = journaled.map(addressKey).filter((key) => safe.has(key));
      if (again.length > 0) faults.push(`asked again for what was safe: ${again.join(', ')}`);
      rmSync(artifactPath, { recursive: true });
    } catch (thrown) {
      faults.push(`the resume failed: ${String(thrown)}`);
    }
    return { operations: done - this.#run.begin, crash, faults };
  }

  /** The calls whose answers a crash must leave: of committed groups, and those that stand in journals. */
  #safe(disk: CrashedDisk, done: number, isSynced: boolean): ReadonlySet<string> {
    const { begin, anew } = this.#run;
    const committed = this.#committed(done, isSynced);
    const before = entriesWritten(this.#operations.slice(0, begin)).filter((entry) => !anew?.has(placeKey(entry)));
    const since = entriesWritten(this.#operations.slice(begin));
    const all = [...before, ...since.filter(({ row }) => committed.has(Math.floor(row / GROUP)))];
    const segments = this.#operations.flatMap((operation) =>
      operation.kind === 'open' && SEGMENT.test(operation.path) ? operation.path : [],
    );
    const kept = segments.flatMap((path) => {
      const bytes = disk.bytesOf(path, { isSynced });
      return bytes ? entriesIn(path, bytes) : [];
    });
    return new Set([...all, ...kept].map(addressKey));
  }

  /** The row groups whose files have their names, and, for a power cut, have them on disk. */
  #committed(done: number, isSynced: boolean): ReadonlySet<number> {
    const groups = new Set<number>();
    const marked = new Set<number>();
    const waiting = new Map<number, string>();
    const { begin, anew } = this.#run;
    for (const operation of this.#operations.slice(begin, done)) {
      for (const { group, isMarked, folder } of commitsOf(operation)) {
        // A retry moves files of groups that it makes again: these are made once their marks are gone.
        if (anew && folder === BATCHES) continue;
        if (isMarked) marked.add(group);
        // A file of a marked group counts once the mark is gone.
        else if (folder === JOURNALS ? marked.delete(group) : !marked.has(group)) waiting.set(group, folder);
      }
      for (const [group, folder] of waiting) {
        if (isSynced && !(operation.kind === 'sync-folder' && operation.path === folder)) continue;
        groups.add(group);
        waiting.delete(group);
      }
    }
    return groups;
  }
}

/** A group whose file has its name, whose mark was written, or is gone, and the folder whose sync makes that last. */
interface GroupStep {
  readonly group: number;
  readonly isMarked: boolean;
  readonly folder: string;
}

function commitsOf(operation: FileOperation): readonly GroupStep[] {
  if (operation.kind === 'unlink') return stepOfMark(operation.path, false);
  if (operation.kind !== 'rename') return [];
  const { to } = operation;
  if (!to.startsWith(`${BATCHES}/`)) return stepOfMark(to, true);
  const { first, last } = spanOf(to.slice(BATCHES.length + 1)) ?? { first: 0, last: -1 };
  const groups = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return groups.map((group) => ({ group, isMarked: false, folder: BATCHES }));
}

function stepOfMark(path: string, isMarked: boolean): readonly GroupStep[] {
  const group = path.startsWith(`${JOURNALS}/`) ? markedGroupOf(path.slice(JOURNALS.length + 1)) : undefined;
  return group === undefined ? [] : [{ group, isMarked, folder: JOURNALS }];
}

/** The model that is out of order refuses one topic, and answers another with nothing of use. */
function judge({ model, prompt }: Asked, response: ServerResponse, { isBroken }: { readonly isBroken: boolean }): void {
  if (isBroken && prompt.startsWith('Shorter for salt')) return refuse(response, 422);
  if (!prompt.includes('Mark ')) return say({ model, prompt }, response);
  const isUseless = isBroken && prompt.includes('Mark bees');
  reply(response, completion(isUseless ? 'no mark' : '{"points":3}', { prompt_tokens: 9, completion_tokens: 2 }));
}

const DEMO_TOOLS: MCPProvider = {
  name: 'demo-tools',
  providerType: 'stdio',
  command: process.execPath,
  args: [
    ...(demoToolsProgram.endsWith('.ts') ? ['--conditions=@data-designer/source'] : []),
    fileURLToPath(demoToolsProgram),
  ],
  env: {},
};

/** The entries that operations have written into journals, those of lost rows included unless told otherwise. */
function entriesWritten(
  operations: readonly FileOperation[],
  pattern = SEGMENT,
): readonly (Address & { readonly path: string })[] {
  const segments = new Map<number, { path: string; parts: Buffer[] }>();
  for (const operation of operations) {
    if (operation.kind === 'open' && pattern.test(operation.path) && operation.flags === 'ax') {
      segments.set(operation.file, { path: operation.path, parts: [] });
    }
    if (operation.kind === 'write') segments.get(operation.file)?.parts.push(operation.bytes);
  }
  return [...segments.values()].flatMap(({ path, parts }) => entriesIn(path, Buffer.concat(parts)));
}

async function madeIn(path: string): Promise<Made> {
  const rows: string[] = [];
  const sides = ['dropped-columns-parquet-files', 'processors-files/chats', 'processors-files/texts'];
  for (const part of ['parquet-files', ...sides]) {
    for (const name of readdirSync(join(path, part)).toSorted()) {
      const file = await asyncBufferFromFile(join(path, part, name));
      rows.push(
        ...(await parquetReadObjects({ file, compressors: pageDecompressors })).map((row) => stringifyJson(row)),
      );
    }
  }
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = entries.map(({ parentPath, name }) => relative(path, join(parentPath, name))).toSorted();
  const { usage } = JSON.parse(readFileSync(join(path, 'metadata.json'), 'utf8')) as { readonly usage: unknown };
  return { rows, files, usage: JSON.stringify(usage) };
}

function differences(made: Made, wanted: Made): string[] {
  const row = made.rows.findIndex((text, index) => text !== wanted.rows[index]);
  const faults = [
    made.rows.length !== wanted.rows.length && `it has ${made.rows.length} rows, not ${wanted.rows.length}`,
    row >= 0 && `row ${row} is another one: ${made.rows[row]?.slice(0, 200)}`,
    made.files.join() !== wanted.files.join() && `its files are ${made.files.join(', ')}`,
    made.usage !== wanted.usage && `its usage is ${made.usage}`,
  ];
  return faults.filter((fault) => fault !== false);
}
