import { MAX_DEPTH, TOO_DEEP } from './json-depth.ts';
import { parquetBytes } from './parquet-footer.ts';

const MAGIC = 'PAR1';

/** The magic bytes at both ends, and the length of the footer. */
const LEAST_BYTES = 12;

/** DuckDB misreads decimals of more digits. */
const MAX_DIGITS = 38;

/** Why DuckDB must not read a Parquet file, on which it would crash or misread values; throws a `RangeError` if damaged. */
export async function parquetFault(path: string): Promise<string | undefined> {
  const file = await parquetBytes(path);
  if (file.byteLength < LEAST_BYTES) return undefined;
  const end = Buffer.from(await file.slice(file.byteLength - 8, file.byteLength));
  const isParquet = end.toString('latin1', 4) === MAGIC && end.readUInt32LE(0) <= file.byteLength - LEAST_BYTES;
  if (!isParquet) return undefined;
  const { parquetMetadataAsync } = await import('hyparquet');
  const { schema } = await parquetMetadataAsync(file, { geoparquet: false }).catch((cause: unknown) => {
    throw new RangeError('its footer is damaged', { cause });
  });
  if (depthOf(schema.map(({ num_children: children = 0 }) => children)) > MAX_DEPTH) return TOO_DEEP;
  const long = schema.find(({ precision = 0 }) => precision > MAX_DIGITS);
  return long && `column '${long.name}' has decimals of ${long.precision} digits, more than ${MAX_DIGITS}`;
}

/** The depth of a schema tree, by the number of children of each element, parents before children. */
function depthOf(elements: readonly number[]): number {
  let deepest = 0;
  /** The children to come of each open element. */
  const open: number[] = [];
  for (const children of elements) {
    while (open.at(-1) === 0) open.pop();
    const parent = open.pop();
    if (parent !== undefined) open.push(parent - 1);
    open.push(Math.max(0, children));
    deepest = Math.max(deepest, open.length);
  }
  return deepest;
}
