import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@data-designer/core';

/** The folder of observed facts. */
export const conformance = fileURLToPath(new URL('./data/', import.meta.url));

/** The rows of a file of observed facts, one JSON object a line; integers and floats stay apart. */
export function readRows<Row>(file: string): Row[] {
  const text = readFileSync(`${conformance}/${file}`, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => parseJson(line) as unknown as Row);
}
