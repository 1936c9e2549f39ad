import { countArrowRows } from './read-arrow.ts';
import { countRows } from './read-rows.ts';

/** How many rows a Parquet or Arrow file of a dataset has; `dataset/damaged` if it cannot be read. */
export function countFileRows(path: string): Promise<number> {
  return path.endsWith('.arrow') ? countArrowRows(path) : countRows(path);
}
