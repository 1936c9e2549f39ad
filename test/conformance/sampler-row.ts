import { type CellValue, type Row, stringifyJson, unboxed } from '@data-designer/core';
import { readRows } from './read-rows.ts';

/** A value that was observed, and how far another sample's may lie from it. */
export interface Near {
  readonly value: number;
  readonly tolerance: number;
}

/** How often a value was observed, from 0 to 1. */
export type Ratios = Readonly<Record<string, { readonly ratio: number; readonly tolerance: number }>>;

/** Values that may be drawn. */
interface Support {
  readonly min?: number;
  readonly max?: number;
  readonly min_inclusive?: boolean;
  readonly max_inclusive?: boolean;
  readonly values?: readonly number[];
}

/** Facts about draws of numbers. */
export interface NumberFacts {
  readonly mean?: Near;
  readonly std?: Near;
  readonly support?: Support;
  readonly quantiles?: Readonly<Record<string, { readonly accept: readonly [number | null, number | null] }>>;
  readonly cdf?: readonly { readonly x: number; readonly p: number; readonly tolerance: number }[];
}

/** Something that all values keep. */
export interface Check {
  readonly check: 'max_decimals' | 'unique' | 'compare_column';
  readonly value?: number;
  readonly operator?: 'lt' | 'le' | 'gt' | 'ge';
  readonly column?: string;
}

/** Facts about people. */
interface PeopleFacts {
  readonly key_order: readonly string[];
  readonly key_types: Readonly<Record<string, readonly string[]>>;
  readonly patterns: Readonly<Record<string, string>>;
  readonly rules: readonly string[];
  /** Drawn without end. */
  readonly age?: NumberFacts;
  /** Drawn from a table, each of them once. */
  readonly ages?: readonly [number, number];
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly distinct_uuids?: number;
}

/** One set of sampler columns, and what was observed of one of them. */
export interface SamplerRow extends NumberFacts {
  readonly id: string;
  readonly what: string;
  readonly columns: CellValue;
  readonly constraints: CellValue;
  readonly target: string;
  /** Rows that were observed; as many are drawn unless `n_test` says otherwise. */
  readonly n: number;
  readonly n_test?: number;
  readonly value_type: 'float' | 'int' | 'str' | 'object';
  readonly examples?: readonly CellValue[];
  readonly pattern?: string;
  readonly numbers_are?: string;
  readonly joint_key?: string;
  readonly joint_ratios?: Ratios;
  readonly checks?: readonly Check[];
  readonly error?: string;
}

/** Facts about one value, or, of people, about each key of it. */
export type ValueRow = SamplerRow & { readonly ratios?: Ratios };
export type PeopleRow = SamplerRow & PeopleFacts & { readonly ratios?: Readonly<Record<string, Ratios>> };

/** What was drawn for a row of facts. */
export interface Drawn {
  readonly values: readonly CellValue[];
  /** Of the column: float64, int64 or utf8. */
  readonly type: string;
  readonly records: readonly Row[];
}

/** A row of facts as plain values, and the declaration in it, where integers and integral floats are apart. */
export interface SamplerCase {
  readonly id: string;
  readonly what: string;
  readonly facts: SamplerRow;
  readonly document: { readonly columns: CellValue; readonly constraints: CellValue };
}

/** All rows of facts about samplers. */
export function readSamplerCases(): SamplerCase[] {
  return readRows<SamplerRow>('samplers.jsonl').map((row) => {
    const { id, what, columns, constraints } = row;
    return {
      id,
      what,
      facts: unboxed(row as unknown as CellValue) as unknown as SamplerRow,
      document: { columns, constraints },
    };
  });
}

/** A value as the facts name it. */
export function textOf(value: CellValue | undefined): string {
  return typeof value === 'string' ? value : stringifyJson(value ?? null);
}
