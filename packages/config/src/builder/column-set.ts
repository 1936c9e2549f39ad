import type { Float } from '@data-designer/core';
import type { z } from 'zod';
import type { ColumnSchema } from '../define-column.ts';

/** A zod schema by the one part that names its output: two installed copies of zod are then no matter to the compiler. */
export interface AnyZodSchema {
  readonly _zod: { readonly output: unknown };
}

/** The column types that a builder takes, for the compiler: the declarations that can be written. */
export interface ColumnSet {
  readonly declaration: { readonly name: string; readonly columnType: string };
}

/** The column types of a list, for the compiler. */
export interface ColumnSetOf<Types extends readonly { readonly schema: ColumnSchema }[]> {
  readonly declaration: Extract<DeclarationOf<z.input<Types[number]['schema']>>, ColumnSet['declaration']>;
}

/** What may be written for a schema's input: nothing in it is changed, and zod schemas may stand for JSON Schemas. */
export type DeclarationOf<Input> = Input extends unknown ? { readonly [Key in keyof Input]: Given<Input[Key]> } : never;

/** A field that takes any mapping also takes a zod schema, which becomes its JSON Schema. */
type Given<Value> = Fixed<Value> | (string extends keyof NonNullable<Value> ? SchemaFor<NonNullable<Value>> : never);

type SchemaFor<Mapping> =
  Mapping extends Readonly<Record<string, infer Value>> ? (unknown extends Value ? AnyZodSchema : never) : never;

/** The same to the last member, unchangeable: what `as const` makes is accepted too. */
type Fixed<Value> = Value extends Float
  ? Value
  : Value extends (...args: never) => unknown
    ? Value
    : Value extends readonly unknown[]
      ? { readonly [Index in keyof Value]: Fixed<Value[Index]> }
      : Value extends object
        ? { readonly [Key in keyof Value]: Fixed<Value[Key]> }
        : Value;

/** Refuses what no declaration of this kind has, so that a misspelt optional field is seen by the compiler. */
export type OnlyKnown<Config, Declaration> = {
  readonly [Key in Exclude<keyof Config, KeysOf<Extract<Declaration, KindOf<Config>>>>]: never;
};

type KeysOf<Union> = Union extends unknown ? keyof Union : never;
type KindOf<Config> = Pick<Config, keyof Config & 'columnType'>;
