import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { SimilarPair } from './select-texts.ts';

const SHINGLES = `
  CREATE TABLE shingles AS
  SELECT DISTINCT id, hash(unnest([array_to_string(words[i:i + 4], ' ') FOR i IN range(1, len(words) - 3)])) AS shingle
  FROM (SELECT id, string_split(text, ' ') AS words FROM texts)`;

const PAIRS = `
  WITH counts AS (SELECT id, count(*) AS n FROM shingles GROUP BY id),
  shared AS (
    SELECT a.id AS first, b.id AS second, count(*) AS n
    FROM shingles a JOIN shingles b ON a.shingle = b.shingle AND a.id < b.id GROUP BY ALL)
  SELECT first, second, shared.n / (c1.n + c2.n - shared.n) AS similarity
  FROM shared JOIN counts c1 ON c1.id = first JOIN counts c2 ON c2.id = second
  WHERE similarity >= $least`;

/** All pairs of texts with at least a Jaccard similarity of their shingles of five words, by a join of the shingles. */
export async function joinSimilar(texts: readonly string[], least: number): Promise<SimilarPair[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const file = join(folder, 'texts.jsonl');
    writeFileSync(file, texts.map((text, id) => JSON.stringify({ id, text })).join('\n'));
    const instance = await DuckDBInstance.create(join(folder, 'join.duckdb'), { memory_limit: '3GB' });
    const connection = await instance.connect();
    await connection.run(`CREATE TABLE texts AS SELECT id::INTEGER AS id, text FROM read_json('${file}')`);
    await connection.run(SHINGLES);
    const rows = await (await connection.run(PAIRS, { least })).getRowObjectsJS();
    connection.closeSync();
    instance.closeSync();
    return rows.map((row) => ({
      first: Number(row['first']),
      second: Number(row['second']),
      similarity: Number(row['similarity']),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All pairs of texts with at least a similarity, by comparing each text with every other. */
export function compareAll(texts: readonly string[], least: number): SimilarPair[] {
  const numbers = new Map<string, number>();
  const sets = texts.map((text) => shinglesOf(text, numbers));
  const pairs: SimilarPair[] = [];
  for (const [second, b] of sets.entries()) {
    for (let first = 0; first < second; first++) {
      const a = sets[first] ?? b;
      const shared = sharedCount(a, b);
      const similarity = shared / (a.length + b.length - shared);
      if (similarity >= least) pairs.push({ first, second, similarity });
    }
  }
  return pairs;
}

/** The distinct runs of five words, as sorted numbers. */
function shinglesOf(text: string, numbers: Map<string, number>): Int32Array {
  const words = text.split(' ');
  const own = new Set<number>();
  for (let at = 0; at + 5 <= words.length; at++) {
    const shingle = words.slice(at, at + 5).join(' ');
    const number = numbers.get(shingle) ?? numbers.size;
    numbers.set(shingle, number);
    own.add(number);
  }
  return Int32Array.from(own).toSorted();
}

function sharedCount(a: Int32Array, b: Int32Array): number {
  let shared = 0;
  for (let at = 0, other = 0; at < a.length && other < b.length;) {
    const x = a[at] ?? 0;
    const y = b[other] ?? 0;
    if (x === y) shared++;
    if (x <= y) at++;
    if (y <= x) other++;
  }
  return shared;
}
