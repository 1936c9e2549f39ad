import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Random } from '@data-designer/core';
import { runBuilt } from './start/run-built.ts';
import type { UsageNote } from './start/note-usage.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

/** Characters of a document, in the shape of FinePhrase: 6 kB in, 1.4 kB out. */
const DOCUMENT = 6_000;
const SIZES = [5_000, 20_000, 100_000];
const IN_FLIGHT = 64;

/** What a run of documents took; `cpuMs` is of all its threads. */
interface DocumentsTaken extends UsageNote {
  readonly wallMs: number;
}

/**
 * Documents of 6 kB from a seed file, one answer of 1.4 kB for each: wall time, CPU per answer after the start, peak and
 * final memory (`--rows N,N` chooses the sizes). With `--datatrove PYTHON`, the endpoint mode of datatrove does the same
 * beside it, in pairs.
 */
export async function documents(): Promise<readonly BenchRow[]> {
  const options = { rows: { type: 'string' }, datatrove: { type: 'string' } } as const;
  const { values } = parseArgs({ args: process.argv.slice(3), options });
  const sizes = values.rows?.split(',').map(Number) ?? SIZES;
  const folder = mkdtempSync(join(tmpdir(), 'bench-documents-'));
  try {
    const seed = join(folder, 'documents.jsonl');
    await writeDocuments(seed, Math.max(...sizes));
    await using responder = await startResponder({ answer: 'long' });
    const home = { folder, endpoint: responder.endpoint };
    const { datatrove } = values;
    const ours = (rows: number) => taken(home, rows);
    const theirs = (address: string) => (rows: number) =>
      takenByDatatrove(datatrove ?? '', { folder, endpoint: address, rows });
    const [local, remote] = datatroveAddresses(responder.endpoint);
    const programs = {
      'data-designer': ours,
      ...(datatrove !== undefined && {
        'datatrove by the client of OpenAI': theirs(remote),
        'datatrove by its own client for localhost': theirs(local),
      }),
    };
    // Code is compiled once; a run of few rows over the same file says what a start costs.
    await ours(IN_FLIGHT);
    const rows: BenchRow[] = [];
    for (const size of sizes) {
      for (const [program, make] of Object.entries(programs)) {
        const start = await make(IN_FLIGHT);
        const run = await make(size);
        const us = ((run.cpuMs - start.cpuMs) * 1000) / (size - IN_FLIGHT);
        const { wallMs, peakMb, endMb } = run;
        const figures = { 's wall': wallMs / 1000, 'us CPU per answer': us, 'MB peak': peakMb };
        const atEnd = endMb === undefined ? {} : { 'MB at the end': endMb };
        rows.push({ what: `${size} documents, ${program}`, figures: { ...figures, ...atEnd } });
      }
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes documents of words that differ, a line of JSON each. */
async function writeDocuments(path: string, count: number): Promise<void> {
  const random = Random.of(1, 'documents');
  const words = Array.from({ length: 2_000 }, (_, at) => {
    const draw = random.at(at);
    return Array.from({ length: 3 + Math.floor(draw.float() * 8) }, () =>
      String.fromCodePoint(97 + Math.floor(draw.float() * 26)),
    ).join('');
  });
  const file = createWriteStream(path);
  for (let row = 0; row < count; row++) {
    const draw = random.at(row + words.length);
    let text = '';
    while (text.length < DOCUMENT) text += `${words[Math.floor(draw.float() * words.length)]} `;
    if (!file.write(`${JSON.stringify({ id: row, text: text.slice(0, DOCUMENT) })}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

interface DocumentsHome {
  /** The folder with `documents.jsonl`. */
  readonly folder: string;
  readonly endpoint: string;
}

async function taken({ folder, endpoint }: DocumentsHome, rows: number): Promise<DocumentsTaken> {
  const provider = { name: 'bench', endpoint, provider_type: 'openai' };
  writeFileSync(join(folder, 'model_providers.yaml'), JSON.stringify({ providers: [provider] }));
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify(declaration(join(folder, 'documents.jsonl'))));
  const out = join(folder, 'out');
  const note = join(folder, 'usage.json');
  const environment = { DATA_DESIGNER_HOME: folder, NODE_COMPILE_CACHE: join(folder, 'compiled'), USAGE_NOTE: note };
  const preload = new URL('start/note-usage.ts', import.meta.url);
  const { wallMs } = await runBuilt(['create', config, '-n', String(rows), '-o', out], { environment, preload });
  rmSync(out, { recursive: true });
  return { ...(JSON.parse(readFileSync(note, 'utf8')) as UsageNote), wallMs };
}

/**
 * The address that datatrove takes for one of this machine, and one that it takes for any other: every endpoint but those
 * of localhost by HTTP is called by the client of OpenAI, which adds the path of the version by itself.
 */
function datatroveAddresses(endpoint: string): readonly [local: string, remote: string] {
  return [endpoint.replace(/\/v1$/, ''), endpoint.replace('127.0.0.1', '127.1')];
}

interface DatatroveRun extends DocumentsHome {
  readonly rows: number;
}

/** The same by datatrove, installed for a Python: `pip install datatrove httpx openai aiofiles aiosqlite orjson pyarrow`. */
async function takenByDatatrove(python: string, { folder, endpoint, rows }: DatatroveRun): Promise<DocumentsTaken> {
  const program = fileURLToPath(new URL('datatrove_documents.py', import.meta.url));
  const out = join(folder, 'datatrove');
  const given = [program, endpoint, folder, out, String(rows), String(IN_FLIGHT), INSTRUCTION];
  const start = performance.now();
  const { stdout } = await promisify(execFile)(python, given, { maxBuffer: 64 * 1024 * 1024 });
  const wallMs = performance.now() - start;
  rmSync(out, { recursive: true });
  return { ...(JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as UsageNote), wallMs };
}

const INSTRUCTION = 'Write this document as a list of questions and answers.';

function declaration(seed: string): unknown {
  const model = {
    alias: 'bench',
    model: 'bench',
    provider: 'bench',
    inference_parameters: { max_parallel_requests: IN_FLIGHT },
  };
  return {
    model_configs: [model],
    seed_config: { source: { seed_type: 'local', path: seed } },
    columns: [
      {
        name: 'phrase',
        column_type: 'llm-text',
        model_alias: 'bench',
        prompt: `${INSTRUCTION}\n\n{{ text }}`,
      },
    ],
  };
}
