import { expect, test } from 'vitest';
import { readHubPath } from './hub-path.ts';

/** A parsed path: `dataset: pattern` for each dataset that it may name, then the revision. */
function read(path: string): string[] | undefined {
  const found = readHubPath(path);
  return found && [...found.datasets.map(({ dataset, pattern }) => `${dataset}: ${pattern}`), found.revision];
}

test.each([
  ['datasets/acme/ships/a.csv', ['acme/ships: a.csv', 'acme: ships/a.csv', 'main']],
  ['datasets/acme/ships/**/*.csv', ['acme/ships: **/*.csv', 'acme: ships/**/*.csv', 'main']],
  ['datasets/acme/ships@v1.0/data/a.csv', ['acme/ships: data/a.csv', 'v1.0']],
  ['datasets/acme/ships@refs/convert/parquet/a/*.parquet', ['acme/ships: a/*.parquet', 'refs/convert/parquet']],
  ['datasets/acme/ships@refs/pr/7/a.csv', ['acme/ships: a.csv', 'refs/pr/7']],
  ['datasets/acme/ships@refs%2Fpr%2F7/a.csv', ['acme/ships: a.csv', 'refs/pr/7']],
  ['datasets/acme/ships@~parquet/a/*.parquet', ['acme/ships: a/*.parquet', 'refs/convert/parquet']],
  ['datasets/acme/ships@50%/a.csv', ['acme/ships: a.csv', '50%']],
  ['datasets/acme/ships@../a.csv', ['acme/ships: a.csv', '..']],
  ['datasets/acme/ships/a@b.csv', ['acme/ships: a@b.csv', 'acme: ships/a@b.csv', 'main']],
  ['datasets/tides/a.csv', ['tides: a.csv', 'main']],
  ['datasets/tides/a@b.csv', ['tides: a@b.csv', 'main']],
  ['datasets/tides@v1/a.csv', ['tides: a.csv', 'v1']],
  ['datasets/tides@v1/b/a.csv', ['tides: b/a.csv', 'v1']],
])('parses %s to the datasets it may name, files and revision', (path, found) => {
  expect(read(path)).toEqual(found);
});

test.each([
  '',
  'datasets',
  'datasets/',
  'datasets/acme',
  'datasets/acme/ships/',
  'datasets//ships/a.csv',
  'datasets/acme/../a.csv',
  'datasets/acme/ships/../a.csv',
  'datasets/acme/ships/./a.csv',
  'datasets/.hidden/-ships@v1/a.csv',
  'datasets/ac me/ships@v1/a.csv',
  'models/acme/ships/a.csv',
  'hf://datasets/acme/ships/a.csv',
])('%j is not a path on the Hub', (path) => {
  expect(read(path)).toBeUndefined();
});
