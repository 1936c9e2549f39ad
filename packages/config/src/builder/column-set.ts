import type { z } from 'zod';
import type { Float } from '@data-designer/core';
import type { RegisteredColumn } from '../define-column.ts';
import type { RowOfColumn } from './column-row.ts';

/** A zod schema of any installed copy of zod. */
interface AnyZodSchema {
  readonly _zod: { readonly output: unknown };
}

/** A schema of any library that follows the Standard Schema and gives JSON Schemas. */
interface AnyStandardSchema {
  readonly '~standard': { readonly types?: { readonly output: unknown } | undefined; readonly jsonSchema: unknown };
}

/** A schema that may replace a JSON Schema. */
export type AnySchema = AnyZodSchema | AnyStandardSchema;

/** What a schema gives. */
export type OutputOf<Schema> = Schema extends AnyZodSchema
  ? Schema['_zod']['output']
  : Schema extends AnyStandardSchema
    ? NonNullable<Schema['~standard']['types']>['output']
    : never;

/** The column types that a builder takes, for the compiler. */
export interface ColumnSet {
  /** The column types. */
  readonly types: readonly RegisteredColumn[];
  /** What can be declared. */
  readonly declaration: { readonly name: string; readonly columnType: string };
  /** What is declared; filled in for each column, so that `rows` can be made from it. */
  readonly config: unknown;
  /** The record that each column type writes, under its name. */
  readonly rows: object;
  /** The processors of plug-ins; none if absent. */
  readonly processor?: { readonly name: string; readonly processorType: string };
  /** The seed sources of plug-ins; none if absent. */
  readonly seedSource?: { readonly seedType: string };
}

/** The processors of plug-ins in a set. */
export type OwnProcessor<Columns extends ColumnSet> = NonNullable<Columns['processor']> &
  Declared<Columns, 'processor'>;
/** The seed sources of plug-ins in a set. */
export type OwnSource<Columns extends ColumnSet> = NonNullable<Columns['seedSource']> & Declared<Columns, 'seedSource'>;

/** A part of a set; `never` if absent. */
type Declared<Columns, Part extends PropertyKey> = Columns extends { readonly [Key in Part]: infer Known }
  ? Known
  : never;

/**
 * The set of a list of column types. It says nothing about rows: a set that does extends it, from a table of records
 * that a user's own column types extend in turn.
 *
 * ```ts
 * interface MyRows<Config> extends BuiltInRows<Config> {
 *   'my-column': ColumnRow<Config, string>;
 * }
 * interface MyColumns extends ColumnSetOf<typeof myTypes> {
 *   readonly rows: MyRows<this['config']>;
 * }
 * ```
 */
export interface ColumnSetOf<Types extends readonly RegisteredColumn[]> extends ColumnSet {
  /** The column types. */
  readonly types: Types;
  /** The declaration of any of the columns. */
  readonly declaration: Extract<DeclarationOf<z.input<Types[number]['schema']>>, ColumnSet['declaration']>;
}

/** The record that a declaration writes, by the rows of a set. */
export type AddedBy<Columns extends ColumnSet, Config> = RowOfColumn<
  (Columns & { readonly config: Config })['rows'],
  Config
>;

/** The declaration for a schema's input: read-only, with schemas of libraries allowed in place of JSON Schemas. */
export type DeclarationOf<Input> = Input extends unknown ? { readonly [Key in keyof Input]: Given<Input[Key]> } : never;

/** A field that takes any mapping also takes the schema of a library, which becomes its JSON Schema. */
type Given<Value> = Fixed<Value> | SchemaFor<NonNullable<Value>>;

type SchemaFor<Value> = Value extends unknown ? (string extends keyof Value ? SchemaForMapping<Value> : never) : never;

type SchemaForMapping<Mapping> =
  Mapping extends Readonly<Record<string, infer Value>> ? (unknown extends Value ? AnySchema : never) : never;

/** The deeply read-only type, which accepts `as const` values. */
type Fixed<Value> = Value extends Float
  ? Value
  : Value extends (...args: never) => unknown
    ? Value
    : Value extends readonly unknown[]
      ? { readonly [Index in keyof Value]: Fixed<Value[Index]> }
      : Value extends object
        ? { readonly [Key in keyof Value]: Fixed<Value[Key]> }
        : Value;

/** Refuses unknown fields of a column at every depth, so that the compiler finds a misspelt optional field. */
export type OnlyKnown<Config, Declaration> = Unknown<Config, Extract<Declaration, KindOf<Config>>>;

/** The same of another declaration: that of the union which the value fits. */
export type OnlyFitting<Value, Declaration> = UnknownOf<Value, FittingOf<Declaration, Value>>;

type KindOf<Config> = Pick<Config, keyof Config & 'columnType'>;

declare const UNKNOWN: unique symbol;

/** What the value of an unknown key would have to be, for the message of the compiler; no value is. */
interface UnknownKey<Known> {
  readonly [UNKNOWN]: Known;
}

/** What a list with an unknown key in one of its objects would have to be; no list is. */
interface UnknownKeyInList<Known> {
  readonly [UNKNOWN]: Known;
}

/** Refuses the unknown fields of an object, and those within its fields. */
type Unknown<Value, Wanted> = {
  readonly [Key in Exclude<keyof Value, KeysOf<Wanted>>]: UnknownKey<KeysOf<Wanted>>;
} & {
  readonly [Key in NestedKeys<Value> & KeysOf<Wanted>]?: UnknownIn<Value[Key], ObjectsIn<MemberOf<Wanted, Key>>>;
};

/** The same of a value; nothing is unknown where `Wanted` takes any field. */
type UnknownIn<Value, Wanted> = [Wanted] extends [never]
  ? unknown
  : Value extends readonly unknown[]
    ? true extends HasUnknown<Value[number], ObjectsIn<ElementOf<Wanted>>>
      ? UnknownKeyInList<KeysOf<ObjectsIn<ElementOf<Wanted>>>>
      : unknown
    : true extends IsOpen<Wanted>
      ? UnknownInEntries<Value, ObjectsIn<EntryOf<Wanted>>>
      : UnknownOf<Value, FittingOf<Wanted, Value>>;

/** The same of a mapping whose entries are objects, as those of conditional parameters are. */
type UnknownInEntries<Value, Entry> = [Entry] extends [never]
  ? unknown
  : { readonly [Key in keyof Value]: UnknownIn<Value[Key], Entry> };

type EntryOf<Union> = Union extends unknown ? (string extends keyof Union ? Union[keyof Union] : never) : never;

type UnknownOf<Value, Wanted> = [Wanted] extends [never] ? unknown : Unknown<Value, Wanted>;

/** Whether a value within a list has an unknown field: the list as a whole is then refused. */
type HasUnknown<Value, Wanted> = Value extends Leaf
  ? false
  : [Wanted] extends [never]
    ? false
    : Value extends readonly unknown[]
      ? HasUnknown<Value[number], ObjectsIn<ElementOf<Wanted>>>
      : true extends IsOpen<Wanted>
        ? false
        : HasUnknownField<Value, FittingOf<Wanted, Value>>;

type HasUnknownField<Value, Wanted> = [Wanted] extends [never]
  ? false
  : [Exclude<keyof Value, KeysOf<Wanted>>] extends [never]
    ? { [Key in keyof Value]: HasUnknown<Value[Key], ObjectsIn<MemberOf<Wanted, Key>>> }[keyof Value]
    : true;

/** The types of a union that the value fits, apart from unknown fields. */
type FittingOf<Union, Value> = Union extends unknown ? (Value extends Union ? Union : never) : never;
/** Whether a type of a union takes any field, as a mapping does, or is more than data, as an iterable is. */
type IsOpen<Union> = Union extends readonly unknown[]
  ? false
  : Union extends unknown
    ? string extends keyof Union
      ? true
      : [keyof Union & symbol] extends [never]
        ? false
        : true
    : never;
type ElementOf<Union> = Union extends readonly (infer Element)[] ? Element : never;
type ObjectsIn<Union> = Union extends (...args: never) => unknown ? never : Extract<Union, object>;
type NestedKeys<Value> = {
  [Key in keyof Value]-?: Value[Key] extends Leaf ? never : Key;
}[keyof Value];
type Leaf = string | number | boolean | bigint | null | undefined | ((...args: never) => unknown);
type KeysOf<Union> = Union extends unknown ? keyof Union : never;
type MemberOf<Union, Key> = Union extends unknown ? (Key extends keyof Union ? Union[Key] : never) : never;
