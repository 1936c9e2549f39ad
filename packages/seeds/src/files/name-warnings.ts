import type { DuckDBResultReader } from '@duckdb/node-api';
import type { Finding } from '@data-designer/core';
import { seedWarning } from '../seed-reader.ts';

/** A name with one of them may be several names. */
const DELIMITER = /[,;|\t]/;
/** They separate cells in few files: the only name and its value have as many if they do. */
const RARE_DELIMITERS = ['^', '~', ':', '\u0001', '\u001f', '\u00a6'] as const;

/** Warns of the names of a CSV file that may be read in another way than they were meant; `head` is the first row. */
export function nameWarnings(unnamed: readonly string[], head: DuckDBResultReader): Finding[] {
  const names = head.columnNames();
  const [only = ''] = names;
  const [value] = head.getRowsJson()[0] ?? [];
  const isSplit = RARE_DELIMITERS.some((sign) => {
    const signs = only.split(sign).length;
    return signs > 1 && typeof value === 'string' && signs === value.split(sign).length;
  });
  const odd = names.length === 1 && isSplit ? [only] : names.filter((name) => DELIMITER.test(name));
  return [...odd.map(delimiterWarning), ...unnamed.map(unnamedWarning)];
}

function delimiterWarning(name: string): Finding {
  const message = `the name of the column ${JSON.stringify(name)} contains a delimiter.`;
  const remedy = "If it is several names, set 'delimiter' in the seed's source to the sign between them.";
  return seedWarning('seed_column_name', message, remedy);
}

function unnamedWarning(name: string): Finding {
  const message = `a column has no name in the header; it is read as '${name}'.`;
  const remedy = `Use the name '${name}' for it, or write its name into the file.`;
  return seedWarning('seed_column_name', message, remedy);
}
