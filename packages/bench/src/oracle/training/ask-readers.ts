import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { DataDesigner, type DatasetCreationResults, type ExportedTraining } from 'data-designer';
import { demoToolsProgram, startSimulator } from '@data-designer/simulator';
import { TRAINING_FORMATS } from '@data-designer/training/options';
import { type Case, type Example, type Fields, plainly, saidIn } from './example.ts';
import { MADE, MADE_CASES, TRACES } from './made.ts';
import { openReaders, type Readers } from './open-readers.ts';
import { RECORDED_CASES, recordedRow } from './recorded.ts';
import { type Variant, VARIANTS } from './variants.ts';

const ROWS = 40;

interface Dataset {
  readonly results: DatasetCreationResults;
  readonly rows: readonly Fields[];
}

/** Exports that their readers do not open, or open as something else, as a line for each. */
export async function askReaders(python: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'training-'));
  const cases = [...MADE_CASES, ...RECORDED_CASES];
  const missing = TRAINING_FORMATS.filter((name) => cases.every(({ format }) => format !== name));
  const mistakes = missing.map((name) => `${name}: no case`);
  try {
    const datasets = await makeDatasets(folder);
    await using readers = await openReaders(python, join(folder, 'datasets'));
    for (const one of cases) {
      for (const variant of VARIANTS) {
        const target = join(mkdtempSync(join(folder, 'export-')), variant.output);
        const { reader, mistake } = await ask(one, { ...datasets[one.dataset], variant, target, readers });
        const what = `${one.format}, ${one.name}, ${variant.name}`;
        const told = mistake === undefined ? '' : `: ${mistake}`;
        process.stdout.write(`${mistake === undefined ? 'equal' : 'DIFFERENT'}  ${what} (${reader})${told}\n`);
        if (mistake !== undefined) mistakes.push(`${what}: ${mistake}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return mistakes;
}

/** A dataset of models of the simulator, and one of recorded rows. */
async function makeDatasets(folder: string): Promise<Readonly<Record<Case['dataset'], Dataset>>> {
  await using simulator = await startSimulator();
  const providers = {
    models: [{ name: 'simulator', endpoint: simulator.url, providerType: 'openai' as const, apiKey: 'none' }],
    tools: [{ name: 'demo', command: process.execPath, args: toolsArgs() }],
  };
  await using designer = new DataDesigner({ artifactPath: folder, providers });
  const path = join(folder, 'recorded.jsonl');
  writeFileSync(path, Array.from({ length: ROWS }, (_, row) => `${JSON.stringify(recordedRow(row))}\n`).join(''));
  const seeded = {
    seed_config: { source: { seed_type: 'local', path } },
    columns: [{ name: 'own', column_type: 'expression', expr: '{{ topic }}' }],
  };
  const make = async (document: unknown, datasetName: string): Promise<Dataset> => {
    const results = await designer.create({ document, source: datasetName }, { numRecords: ROWS, datasetName });
    return { results, rows: await Array.fromAsync(results.records()) };
  };
  const made = await make(MADE, 'made');
  process.stdout.write(`${summaryOf(made.rows)}\n`);
  return { made, recorded: await make(seeded, 'recorded') };
}

function toolsArgs(): string[] {
  const program = fileURLToPath(demoToolsProgram);
  return program.endsWith('.ts') ? ['--conditions=@data-designer/source', program] : [program];
}

/** What the dataset has of the parts that formats differ in. */
function summaryOf(rows: readonly Fields[]): string {
  const messages = rows.flatMap((row) => TRACES.flatMap(({ trace }) => saidIn(row[trace])));
  const count = (is: (message: (typeof messages)[number]) => boolean): number => messages.filter(is).length;
  return (
    `${rows.length} rows with ${messages.length} messages: ${count(({ reasoning }) => reasoning !== '')} with reasoning, ` +
    `${count(({ calls }) => calls.length === 1)} with one call, ${count(({ calls }) => calls.length > 1)} with several`
  );
}

interface Asked extends Dataset {
  readonly variant: Variant;
  readonly target: string;
  readonly readers: Readers;
}

async function ask(
  { format, options, expect }: Case,
  { results, rows, variant, target, readers }: Asked,
): Promise<{ readonly reader: string; readonly mistake: string | undefined }> {
  let exported: ExportedTraining | undefined;
  const all = { format, ...options, ...variant.options };
  try {
    await results.export(variant.output === '' ? `${target}/` : target, {
      ...all,
      onExported: (done) => (exported = done),
    });
  } catch (thrown) {
    return { reader: 'export', mistake: String(thrown).slice(0, 500) };
  }
  const files = exported?.files.map(({ path, split = 'train', examples }) => ({ path, split, examples })) ?? [];
  const found = await readers.read({ format, files, isFolder: variant.output === '' });
  if ('failure' in found) return { reader: 'python', mistake: found.failure };
  const expected = rows.map((row) => (all.reasoning === false ? plainly(expect(row)) : expect(row)));
  return { reader: found.reader, mistake: mistakeIn(expected, { format, found: found.parts, exported, variant }) };
}

interface Answer {
  readonly format: Case['format'];
  readonly found: Readonly<Record<string, readonly Example[]>>;
  readonly exported: ExportedTraining | undefined;
  readonly variant: Variant;
}

/** The first part of an example that its reader has otherwise, or a count that differs. */
function mistakeIn(expected: readonly Example[], { format, found, exported, variant }: Answer): string | undefined {
  for (const [split, examples] of Object.entries(found)) {
    const written = exported?.files.filter((file) => (file.split ?? 'train') === split || split === 'all') ?? [];
    const count = written.reduce((sum, file) => sum + file.examples, 0);
    if (count !== examples.length) return `${examples.length} examples of ${split} instead of ${count}`;
    if (variant.options.shardSize !== undefined && written.length < 2) {
      return `${written.map(({ path }) => basename(path)).join()} is one shard`;
    }
  }
  const all = Object.values(found).flat();
  if (expected.length !== all.length) return `${all.length} examples instead of ${expected.length}`;
  const parts = Object.keys(expected[0] ?? {});
  // LLaMA-Factory reads the files of a folder in no order.
  const isOrdered = variant.isOrdered && !(format === 'sharegpt' && variant.output === '');
  const wanted = isOrdered ? expected : sorted(expected, parts);
  for (const [row, other] of (isOrdered ? all : sorted(all, parts)).entries()) {
    for (const [part, value] of Object.entries(wanted[row] ?? {})) {
      if (isDeepStrictEqual(value, other[part])) continue;
      const [ours, theirs] = firstUnlike(value, other[part]);
      return `row ${row}, ${part}: ${shown(ours)} is ${shown(theirs)}`;
    }
  }
  return undefined;
}

/** The examples in an order that does not depend on theirs. */
function sorted(examples: readonly Example[], parts: readonly string[]): readonly Example[] {
  const keyOf = (example: Example): string => JSON.stringify(parts.map((part) => canonical(example[part])));
  const keyed = examples.map((example) => ({ key: keyOf(example), example }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ example }) => example);
}

/** A value whose members are in the order of their names. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)]);
}

function firstUnlike(value: unknown, other: unknown): readonly [unknown, unknown] {
  if (!Array.isArray(value) || !Array.isArray(other)) return [value, other];
  const at = value.findIndex((one, index) => !isDeepStrictEqual(one, other[index]));
  return at === -1 ? [`${value.length} parts`, `${other.length} parts`] : [value[at], other[at]];
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 300);
}
