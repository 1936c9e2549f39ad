import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { DataDesignerError } from '@data-designer/core';
import {
  fetchHubFiles,
  type FetchHubOptions,
  type HubFiles,
  type HubSource,
} from '../packages/seeds/src/hub/fetch-hub-files.ts';
import { type HubDataset, type HubRequest, type LocalHub, openLocalHub } from './hub-server.ts';

export const COMMIT = 'a1'.repeat(20);
export const OTHER = 'b2'.repeat(20);
/** The bytes of the file that is kept beside git. */
export const LARGE = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));

const SHIPS: HubDataset = {
  revisions: { main: COMMIT, v1: COMMIT, 'refs/convert/parquet': OTHER },
  files: {
    'README.md': { content: 'About ships.' },
    'data/a.csv': { content: 'a\n1\n' },
    'data/b.csv': { content: 'a\n2\n' },
    'data/more/c.csv': { content: 'a\n3\n' },
    'data/lang=en/d [1] #?%.csv': { content: 'a\n4\n' },
    'large.parquet': { content: LARGE, isLarge: true },
    'mixed/a.csv': { content: 'a\n1\n' },
    'mixed/a.jsonl': { content: '{"a":1}\n' },
    'mixed/a.csv.bz2': { content: 'packed' },
    'told/huge.csv': { content: 'a\n', told: { size: 2 ** 50 } },
    'told/wrong.csv': { content: 'a\n1\n', told: { oid: 'c3'.repeat(20) } },
    'told/negative.json': { content: '[]', told: { size: -1 } },
    'empty.csv': { content: '' },
  },
};

/** What the Hub of these tests holds. */
export const DATASETS: Readonly<Record<string, HubDataset>> = {
  'acme/ships': SHIPS,
  'acme/secret': { ...SHIPS, access: 'private' },
  'acme/terms': { ...SHIPS, access: 'gated' },
  tides: { revisions: { main: COMMIT }, files: { 'all/t.json': { content: '[{"a":1}]' } } },
};

/** What a fetch is given beside its path. */
export interface Fetching extends Partial<HubSource>, Partial<FetchHubOptions> {}

/** A Hub for the tests of a file, with an empty cache for each. */
export interface HubInUse {
  readonly server: LocalHub;
  readonly cacheFolder: string;
  readonly fetching: (path: string, options?: Fetching) => Promise<HubFiles>;
  /** The texts of the files that a path stands for. */
  readonly texts: (path: string, options?: Fetching) => Promise<string[]>;
  /** Everything that is in the cache, whole or not, from its top. */
  readonly kept: () => string[];
  /** The requests for files. */
  readonly downloads: () => HubRequest[];
  /** Answers requests whose address has a text in it: each function one of them, later ones as ever. */
  readonly answerFirst: (part: string, ...answers: readonly RequestListener[]) => void;
  /** Answers all requests whose address has a text in it. */
  readonly answerAll: (part: string, answer: RequestListener) => void;
}

/** Starts a Hub before the tests of a file and empties its cache after each. */
export function useHub(): HubInUse {
  let server: LocalHub;
  let cacheFolder: string;
  beforeAll(async () => {
    server = await openLocalHub(DATASETS);
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    server.asked.length = 0;
    server.intercept = () => false;
    cacheFolder = mkdtempSync(join(tmpdir(), 'hub-cache-'));
  });
  afterEach(() => rmSync(cacheFolder, { recursive: true, force: true }));
  const fetching: HubInUse['fetching'] = (path, { token = null, endpoint = server.endpoint, ...options } = {}) => {
    const told = { cacheFolder, environment: {}, allowPrivate: true, retryDelayMs: 1, ...options };
    return fetchHubFiles({ path, token, endpoint }, told);
  };
  return {
    get server() {
      return server;
    },
    get cacheFolder() {
      return cacheFolder;
    },
    fetching,
    texts: async (path, options) => (await fetching(path, options)).files.map((file) => readFileSync(file, 'utf8')),
    kept: () => filesBelow(cacheFolder),
    downloads: () => server.asked.filter(({ path }) => path.includes('/resolve/')),
    answerFirst: (part, ...answers) => {
      const left = [...answers];
      server.intercept = (request, response) =>
        request.url?.includes(part) === true && send(left.shift(), request, response);
    },
    answerAll: (part, answer) => {
      server.intercept = (request, response) => request.url?.includes(part) === true && send(answer, request, response);
    },
  };
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'));
}

function send(answer: RequestListener | undefined, request: IncomingMessage, response: ServerResponse): boolean {
  answer?.(request, response);
  return answer !== undefined;
}

/** The failure that a piece of work ends with; throws if it does well or fails of something else. */
export async function failure(work: Promise<unknown>): Promise<DataDesignerError> {
  const thrown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (thrown instanceof DataDesignerError) return thrown;
  throw new Error('it did not fail as it should', { cause: thrown });
}
