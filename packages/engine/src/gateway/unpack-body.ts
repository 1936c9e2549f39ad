import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

type Unpack = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

/** `deflate` should have the frame of zlib; some servers leave it out. */
const inflateEither: Unpack = (bytes, options) =>
  promisify(inflate)(bytes, options).catch(() => promisify(inflateRaw)(bytes, options));

const UNPACKERS: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', promisify(gunzip) as Unpack],
  ['x-gzip', promisify(gunzip) as Unpack],
  ['br', promisify(brotliDecompress) as Unpack],
  ['deflate', inflateEither],
]);

/** A body that was packed although nobody asked for that; throws where it cannot be unpacked, or is longer than allowed. */
export async function unpackBody(
  bytes: Buffer,
  { encoding, maxBytes }: { readonly encoding: string; readonly maxBytes: number },
): Promise<Buffer> {
  const steps = encoding
    .toLowerCase()
    .split(',')
    .map((one) => one.trim());
  let body = bytes;
  for (const step of steps.toReversed()) {
    if (step === 'identity' || step === '' || body.length === 0) continue;
    const unpack = UNPACKERS.get(step);
    if (!unpack) throw new Error(`its answer is packed in a way that is not known here (content-encoding: ${step})`);
    try {
      body = await unpack(body, { maxOutputLength: maxBytes });
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      throw new Error(`its answer cannot be unpacked (content-encoding: ${step}): ${reason}`, { cause: thrown });
    }
  }
  return body;
}
