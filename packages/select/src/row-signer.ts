import type { CellValue, Row } from '@data-designer/core';
import type { BandShape } from './band-shape.ts';
import type { Benchmarks } from './benchmarks.ts';
import { contaminant, touchedItems } from './contamination.ts';
import type { Candidate, Signature } from './features.ts';
import { sketch } from './hyperplanes.ts';
import { bandKeys, minHashShape } from './minhash.ts';
import { NGrams } from './ngrams.ts';
import { normalise, normaliseCase, textOf } from './normalise.ts';
import type { SelectRules, UniqueRule } from './select-rules.ts';
import { hashText } from './text-hash.ts';
import { Tokens } from './tokens.ts';
import { unitVector } from './unit-vector.ts';

/** Tokens of a shingle. */
const SHINGLE = 5;
/** Texts with fewer distinct shingles are compared as a whole: their similarity would jump. */
const FEWEST_SHINGLES = 10;

const tokens = new Tokens();
const ngrams = new NGrams();

/**
 * Turns rows into what the selector compares, or refuses those that contain an item of the benchmarks. Signing is a
 * pure function of the rules, the benchmarks and the row.
 */
export function createRowSigner(rules: SelectRules, benchmarks?: Benchmarks): (row: Row) => Candidate {
  const signers = rules.unique.map(signerOf);
  const { balance, notIn } = rules;
  return (row) => {
    const found =
      notIn && benchmarks && contaminant(touchedItems(benchmarks, textsIn(row, notIn.columns)), notIn.share);
    if (found) return { kind: 'benchmark', ...found };
    const unique = signers.map((sign) => sign(row));
    if (!balance) return { kind: 'features', unique };
    return { kind: 'features', unique, balance: textOf(row[balance.column]) ?? 'null' };
  };
}

function signerOf(rule: UniqueRule): (row: Row) => Signature | undefined {
  switch (rule.kind) {
    case 'exact':
      return (row) => {
        const texts = textsOf(row, rule.columns);
        return texts && wholeText(texts);
      };
    case 'minhash': {
      const shape = minHashShape(rule.threshold);
      return (row) => {
        const texts = textsOf(row, rule.columns);
        return texts && shinglesOf(texts, shape);
      };
    }
    case 'embedding':
      return (row) => vectorOf(row[rule.column]);
  }
}

function vectorOf(cell: CellValue | undefined): Signature | undefined {
  const values = unitVector(cell);
  return values && { kind: 'vector', keys: sketch(values), values };
}

/** The texts of several columns, without those that a row lacks. */
function textsIn(row: Row, columns: readonly string[]): string[] {
  return columns.map((column) => textOf(row[column])).filter((text) => text !== undefined);
}

/** The texts of several columns; undefined if one is missing, as a duplicate must equal all of them. */
function textsOf(row: Row, columns: readonly string[]): string[] | undefined {
  const texts: string[] = [];
  for (const column of columns) {
    const text = textOf(row[column]);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts;
}

function wholeText(texts: readonly string[]): Signature {
  return { kind: 'text', keys: hashText(texts.map(normalise).join('\n')) };
}

function shinglesOf(texts: readonly string[], shape: BandShape): Signature {
  ngrams.read(tokens.readWhole(normaliseCase(texts.join('\n'))), SHINGLE);
  const values = distinct(ngrams);
  return values.length < FEWEST_SHINGLES
    ? wholeText(texts)
    : { kind: 'shingles', keys: bandKeys(ngrams, shape), values };
}

/** The distinct hashes, sorted. */
function distinct({ count, high }: NGrams): Uint32Array {
  const values = new Uint32Array(high.subarray(0, count));
  values.sort();
  let last = 0;
  for (let at = 1; at < count; at++) {
    if (values[at] !== values[last]) values[++last] = values[at] ?? 0;
  }
  return values.slice(0, Math.min(count, last + 1));
}
