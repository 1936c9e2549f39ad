import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from '@data-designer/config';

/** A file to begin with. */
export interface CorpusFile {
  /** Its path within the repository. */
  readonly path: string;
  readonly text: string;
  readonly json: boolean;
  /** What it says; undefined for a file that is itself a mistake. */
  readonly tree: unknown;
}

/** Files to begin with, in the order of their paths. */
export interface Corpus {
  readonly files: readonly CorpusFile[];
  /** Those without a mistake, which lead deepest: a mistake more, and they are refused for that one. */
  readonly sound: readonly CorpusFile[];
  /** Where their relative paths lead from. */
  readonly folder: string;
}

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** The JSON Schema of configs, which is none itself. */
const SCHEMA = 'configs/schema.json';

const PLACES = ['configs/{,recipes/}*.{yaml,yml,json}', 'test/conformance/**/configs/*.{yaml,yml,json}'];

/** What is known of the configs beside it: a file and whether it is valid in each line. */
const FACTS = 'test/conformance/**/configs.jsonl';

/** Every config of this repository. */
export function configCorpus(): Corpus {
  const files = filesOf(PLACES)
    .filter((path) => path !== SCHEMA)
    .map((path) => readFile(path));
  const [facts = FACTS] = filesOf([FACTS]);
  const known = validIn(facts);
  const sound = files.filter(({ path }) => path.startsWith('configs/') || known.includes(path));
  return { files, sound, folder: join(root, dirname(facts)) };
}

function filesOf(places: readonly string[]): string[] {
  return globSync(places, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();
}

function readFile(path: string): CorpusFile {
  const text = readFileSync(join(root, path), 'utf8');
  const json = path.endsWith('.json');
  return { path, text, json, tree: treeOf(text, json) };
}

function treeOf(text: string, json: boolean): unknown {
  try {
    return parseDocument(text, { path: 'the file', json });
  } catch {
    return undefined;
  }
}

/** Paths of the files that a list of facts says are valid. */
function validIn(facts: string): string[] {
  const lines = readFileSync(join(root, facts), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line): { readonly file: string; readonly valid: boolean } => JSON.parse(line))
    .filter(({ valid }) => valid)
    .map(({ file }) => posix.join(posix.dirname(facts), file));
}
