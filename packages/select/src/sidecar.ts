import * as zlib from 'node:zlib';
import { DataDesignerError } from '@data-designer/core';
import type { Candidate, Signature } from './features.ts';
import { SKETCH_WORDS } from './hyperplanes.ts';
import { BANDS } from './minhash.ts';
import type { SelectRules } from './select-rules.ts';
import { TEXT_HASH_WORDS } from './text-hash.ts';
import type { Refusal } from './verdict.ts';

/** `DDSF` in the byte order of the machine. */
const MARK = 0x46534444;
/** Counts up when signatures of equal rows change. */
const VERSION = 1;
/** The mark, the version, the CRC-32 of the bytes after the preamble, and the length of the header. */
const PREAMBLE_WORDS = 4;
const PREAMBLE_BYTES = PREAMBLE_WORDS * Uint32Array.BYTES_PER_ELEMENT;
/** All parts start at a multiple of this. */
const ALIGNMENT = 8;

/** The forms of a signature by their number in a file; 0 is none. */
const FORMS = [undefined, 'text', 'shingles', 'vector'] as const;
const KEY_WORDS = [0, TEXT_HASH_WORDS, BANDS, SKETCH_WORDS] as const;

interface Header {
  readonly rules: string;
  readonly rows: number;
  readonly refusals: readonly (readonly [row: number, refusal: Refusal])[];
  readonly balance?: readonly string[];
}

/**
 * The candidates of a row group as the bytes of a sidecar file: a preamble, a header of JSON text, and for each unique
 * rule the forms, numbers of values, keys and values of all rows.
 */
export function encodeFeatures(candidates: readonly Candidate[], rules: SelectRules): Uint8Array {
  const parts: Uint8Array[] = [new TextEncoder().encode(JSON.stringify(headerOf(candidates, rules)))];
  for (const rule of rules.unique.keys()) parts.push(...encodeRule(candidates, rule));
  const length = parts.reduce((sum, part) => sum + aligned(part.length), PREAMBLE_BYTES);
  const bytes = new Uint8Array(length);
  let at = PREAMBLE_BYTES;
  for (const part of parts) {
    bytes.set(part, at);
    at += aligned(part.length);
  }
  const sum = zlib.crc32(bytes.subarray(PREAMBLE_BYTES));
  new Uint32Array(bytes.buffer, 0, PREAMBLE_WORDS).set([MARK, VERSION, sum, parts[0]?.length ?? 0]);
  return bytes;
}

/**
 * Reads the bytes of a sidecar file; undefined if another version or other rules signed its rows, so that they must be
 * signed anew. Throws `dataset/damaged` with the path.
 */
export function decodeFeatures(
  bytes: Uint8Array,
  { rules, path }: { readonly rules: SelectRules; readonly path: string },
): readonly Candidate[] | undefined {
  const { buffer } = bytes.slice();
  if (buffer.byteLength < PREAMBLE_BYTES) throw damaged(path);
  const [mark, version, sum, headerLength = 0] = new Uint32Array(buffer, 0, PREAMBLE_WORDS);
  if (mark !== MARK || zlib.crc32(new Uint8Array(buffer, PREAMBLE_BYTES)) !== sum) throw damaged(path);
  if (version !== VERSION) return undefined;
  const reader = new Reader(buffer);
  const header = JSON.parse(new TextDecoder().decode(reader.take(Uint8Array, headerLength))) as Header;
  if (header.rules !== signedRules(rules)) return undefined;
  const signatures = rules.unique.map(() => decodeRule(reader, header.rows));
  const refusals = new Map(header.refusals);
  return Array.from({ length: header.rows }, (_, row): Candidate => {
    const features = { kind: 'features', unique: signatures.map((all) => all[row]) } as const;
    const balance = header.balance?.[row];
    return refusals.get(row) ?? (balance === undefined ? features : { ...features, balance });
  });
}

function damaged(path: string): DataDesignerError {
  return new DataDesignerError('dataset/damaged', {
    path,
    reason: 'its checksum does not match its content',
    remedy: 'Delete the file: its rows are signed anew.',
  });
}

/** The parts of the rules that signatures and refusals depend on. */
function signedRules({ unique, notIn, balance }: SelectRules): string {
  const columns = unique.map((rule) => [rule.kind, rule.kind === 'embedding' ? rule.column : rule.columns]);
  return JSON.stringify([columns, notIn, balance?.column]);
}

function headerOf(candidates: readonly Candidate[], rules: SelectRules): Header {
  return {
    rules: signedRules(rules),
    rows: candidates.length,
    refusals: candidates.flatMap((one, row) => (one.kind === 'features' ? [] : [[row, one] as const])),
    ...(rules.balance && { balance: candidates.map((one) => (one.kind === 'features' ? (one.balance ?? '') : '')) }),
  };
}

function encodeRule(candidates: readonly Candidate[], rule: number): Uint8Array[] {
  const signatures = candidates.map((one) => (one.kind === 'features' ? one.unique[rule] : undefined));
  const forms = Uint8Array.from(signatures, (one) => FORMS.indexOf(one?.kind));
  const counts = Uint32Array.from(signatures, (one) => (one && one.kind !== 'text' ? one.values.length : 0));
  const keys = signatures.flatMap((one) => (one ? [bytesOf(one.keys)] : []));
  const values = signatures.flatMap((one) => (one && one.kind !== 'text' ? [bytesOf(one.values)] : []));
  return [forms, bytesOf(counts), Buffer.concat(keys), Buffer.concat(values)];
}

function decodeRule(reader: Reader, rows: number): (Signature | undefined)[] {
  const forms = reader.take(Uint8Array, rows);
  const counts = reader.take(Uint32Array, rows);
  const keyWords = forms.reduce((sum, form) => sum + (KEY_WORDS[form] ?? 0), 0);
  const keys = reader.take(Uint32Array, keyWords);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const isVector = forms.includes(FORMS.indexOf('vector'));
  const values = isVector ? reader.take(Float32Array, total) : reader.take(Uint32Array, total);
  let [key, value] = [0, 0];
  return Array.from(forms, (form, row) => {
    const kind = FORMS[form];
    const [firstKey, firstValue] = [key, value];
    key += KEY_WORDS[form] ?? 0;
    value += counts[row] ?? 0;
    const own = keys.subarray(firstKey, key);
    if (kind === 'text') return { kind, keys: own };
    if (kind === 'vector' && values instanceof Float32Array) {
      return { kind, keys: own, values: values.subarray(firstValue, value) };
    }
    if (kind === 'shingles' && values instanceof Uint32Array) {
      return { kind, keys: own, values: values.subarray(firstValue, value) };
    }
    return undefined;
  });
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

function bytesOf(array: Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

interface ArrayOver<T> {
  new (buffer: ArrayBuffer, start: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
}

/** Takes aligned parts off a buffer, one after another. */
class Reader {
  readonly #buffer: ArrayBuffer;
  #at = PREAMBLE_BYTES;

  constructor(buffer: ArrayBuffer) {
    this.#buffer = buffer;
  }

  take<T>(array: ArrayOver<T>, length: number): T {
    const start = this.#at;
    this.#at += aligned(length * array.BYTES_PER_ELEMENT);
    return new array(this.#buffer, start, length);
  }
}
