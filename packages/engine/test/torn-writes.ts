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
const SEGMENT = /^made\/journal\/group_\d+\/\d+\.journal$/;

/**
 * Three groups of cells that call tools, cells that are made of them, a column that is left out of the dataset, and two
 * side tables. The rows without a request are the first to be made.
 */
function smallPlan(): Plan {
  const writer = { alias: 'writer', model: 'sim-small', provider: 'here' };
  const text = { column_type: 'llm-text', model_alias: 'writer' };
  const prompt = 'A fact about {{ topic }} {{ id }}, with the tool get_fact.';
  const document = {
    model_configs: [{ ...writer, inference_parameters: { max_parallel_requests: 4 } }],
    tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'] }],
    columns: [
      sampled('id', 'uuid', { params: {} }),
      { ...sampled('topic', 'category', { params: { values: ['moon', 'salt', 'bees'] } }), drop: true },
      { name: 'fact', ...text, tool_alias: 'facts', with_trace: true, prompt, skip: { when: "{{ topic == 'moon' }}" } },
      { name: 'short', ...text, prompt: 'Shorter: {{ fact }}' },
    ],
    processors: [
      { name: 'chats', processor_type: 'schema_transform', template: { q: '{{ topic }} {{ id }}', a: '{{ fact }}' } },
      { name: 'texts', processor_type: 'schema_transform', template: { text: '{{ short }}' } },
    ],
  };
  return planOf(document, { numRecords: 3 * GROUP, run: { bufferSize: GROUP } });
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

/** A recorded run, of which any beginning can be left by a crash and resumed. Everything happens in this thread. */
export class TornWrites implements AsyncDisposable {
  readonly #folder: string;
  readonly #simulator: RunningSimulator;
  readonly #router: ProviderRouter;
  readonly #operations: readonly FileOperation[];
  readonly #made: Made;

  private constructor(parts: {
    folder: string;
    simulator: RunningSimulator;
    router: ProviderRouter;
    operations: readonly FileOperation[];
    made: Made;
  }) {
    this.#folder = parts.folder;
    this.#simulator = parts.simulator;
    this.#router = parts.router;
    this.#operations = parts.operations;
    this.#made = parts.made;
  }

  /** Makes a small dataset with model and tool cells, in two runs, and records what is done to its files. */
  static async record(): Promise<TornWrites> {
    const folder = mkdtempSync(join(tmpdir(), 'torn-writes-'));
    const simulator = await startSimulator();
    const plan = smallPlan();
    const router = openRouter(plan, { models: [modelServer('here', simulator.url)], tools: [DEMO_TOOLS] });
    const artifactPath = join(folder, 'recorded');
    mkdirSync(artifactPath);
    using recorded = new RecordedFiles(artifactPath);
    await runHere({ plan, router, artifactPath, resume: false, ending: UNFINISHED });
    const made = await madeIn(await runHere({ plan: smallPlan(), router, artifactPath, resume: true }));
    return new TornWrites({ folder, simulator, router, operations: recorded.operations, made });
  }

  /** How many operations a crash can come after. */
  get length(): number {
    return this.#operations.length;
  }

  /** The rows of the recorded run. */
  get rows(): readonly string[] {
    return this.#made.rows;
  }

  /** What was done to its files, in words. */
  get lines(): readonly string[] {
    return linesOf(this.#operations);
  }

  /** Resumes from every crash that is chosen, by its kind and the number of operations before it. */
  async *resumeFrom(isChosen: (operations: number, crash: Crash) => boolean): AsyncGenerator<CrashReport> {
    const disk = new CrashedDisk();
    for (const [done, operation] of this.#operations.entries()) {
      for (const crash of CRASHES) if (isChosen(done, crash)) yield await this.#resume({ disk, done, crash });
      disk.apply(operation);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#router[Symbol.asyncDispose]();
    await this.#simulator[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true });
  }

  async #resume({ disk, done, crash }: { disk: CrashedDisk; done: number; crash: Crash }): Promise<CrashReport> {
    const artifactPath = mkdtempSync(join(this.#folder, `${done}-${crash}-`));
    disk.leave(artifactPath, crash, this.#operations[done]);
    const path = join(artifactPath, DATASET);
    // Its process is this one, which goes on: that the lock of a dead one is taken over has a test of its own.
    if (existsSync(path)) for (const name of readdirSync(path)) if (name.startsWith('.lock')) rmSync(join(path, name));
    const resume = existsSync(path) && readdirSync(path).length > 0;
    const faults: string[] = [];
    try {
      await fetch(`${this.#simulator.origin}/stats/reset`, { method: 'POST' });
      using recorded = new RecordedFiles(artifactPath);
      await runHere({ plan: smallPlan(), router: this.#router, artifactPath, resume });
      faults.push(...differences(await madeIn(path), this.#made));
      const journaled = entriesWritten(recorded.operations);
      const { requests } = await this.#simulator.stats();
      if (journaled.filter(({ path: asked }) => asked !== 'tools/call').length !== requests)
        faults.push(`${requests} requests were sent, of which not all stand in journals`);
      const safe = this.#safe(disk, done, crash !== 'killed');
      const again = journaled.map(addressKey).filter((key) => safe.has(key));
      if (again.length > 0) faults.push(`asked again for what was safe: ${again.join(', ')}`);
      rmSync(artifactPath, { recursive: true });
    } catch (thrown) {
      faults.push(`the resume failed: ${String(thrown)}`);
    }
    return { operations: done, crash, faults };
  }

  /** The calls whose answers a crash must leave: of committed groups, and those that stand in journals. */
  #safe(disk: CrashedDisk, done: number, isSynced: boolean): ReadonlySet<string> {
    const committed = this.#committed(done, isSynced);
    const all = entriesWritten(this.#operations).filter(({ row }) => committed.has(Math.floor(row / GROUP)));
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
    for (const operation of this.#operations.slice(0, done)) {
      for (const { group, isMarked, folder } of commitsOf(operation)) {
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

/** The entries that operations have written into journals. */
function entriesWritten(operations: readonly FileOperation[]): readonly (Address & { readonly path: string })[] {
  const segments = new Map<number, { path: string; parts: Buffer[] }>();
  for (const operation of operations) {
    if (operation.kind === 'open' && SEGMENT.test(operation.path) && operation.flags === 'ax') {
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
