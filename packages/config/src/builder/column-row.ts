import type { AppliedType, Message, TypeFunction, ValueType } from '@data-designer/core';
import type { RegisteredColumn } from '../define-column.ts';

/** The record of a column that writes one value: nothing where the column is dropped. */
export type ColumnRow<Config, Value> = Entry<NameOf<Config>, Value, Not<Asks<Config, 'drop', true>>>;

/** The record of a column that a model writes: its value, and the side effects that were asked for. */
export type ModelColumnRow<Config, Value> = ColumnRow<Config, Value> &
  Entry<`${NameOf<Config>}__trace`, Message[], Asks<Config, 'withTrace', true | 'last_message' | 'all_messages'>> &
  Entry<`${NameOf<Config>}__reasoning_content`, string | null, Asks<Config, 'extractReasoningContent', true>> &
  StateRow<Config>;

/** The state after a column with tools: optional, since only tool configs with an environment have one. */
export type StateRow<Config, UsesTools extends boolean = Asks<Config, 'toolAlias', string>> = Entry<
  `${NameOf<Config>}__state`,
  unknown,
  UsesTools extends true ? boolean : UsesTools
>;

/** The record of a column that writes one value and the side effects of a model: for the `row` of a column type. */
export interface RowWith<Value> extends TypeFunction {
  readonly type: ModelColumnRow<this['config'], AppliedType<Value, this['config']>>;
}

/** The records of a list of column types, by `columnType`; a cell that may fail or be skipped may be null. */
export type RowsOf<Types extends readonly RegisteredColumn[], Config> = {
  [Type in keyof RowTypes<Types>]: Lackable<Config, RowOfType<RowTypes<Types>[Type], Config>>;
};

type RowTypes<Types extends readonly RegisteredColumn[]> = {
  [Type in Types[number] as NamedBy<Type>]: Type extends { readonly row?: ValueType<infer Row> } ? Row : unknown;
};

type NamedBy<Type extends RegisteredColumn> = Type['schema'] extends {
  readonly _zod: { readonly output: { readonly columnType: infer Name extends string } };
}
  ? Name
  : never;

type RowOfType<Row, Config> = unknown extends Row ? ColumnRow<Config, unknown> : AppliedType<Row, Config>;

type Lackable<Config, Row> = unknown extends Row
  ? Row
  : MayLack<Config> extends true
    ? { [Key in keyof Row]: Row[Key] | null }
    : Row;

type MayLack<Config> = Config extends { readonly onFailure: infer Policy }
  ? [Extract<Policy, 'null' | null>] extends [never]
    ? HasSkip<Config>
    : true
  : HasSkip<Config>;

type HasSkip<Config> = Config extends { readonly skip: infer Rule } ? ([Rule] extends [null] ? false : true) : false;

/** The record that one declaration adds to a row, by the rows of its column type; `unknown` under its name without. */
export type RowOfColumn<Rows, Config> = Config extends { readonly columnType: infer Type extends keyof Rows }
  ? Rows[Type]
  : ColumnRow<Config, unknown>;

/** A row with the record of one more declaration; of two declarations with one name the later counts. */
export type WithColumn<Row, Config, Added> = string extends keyof Row
  ? Row & Added
  : NameOf<Config> extends keyof Row
    ? WithoutColumn<Row, NameOf<Config>> & Added
    : Row & Added;

/** A row without a column and its side effects. */
export type WithoutColumn<Row, Name extends string> = unknown extends Row
  ? unknown
  : { [Key in keyof Row as Key extends Name | `${Name}__${SideEffect}` ? never : Key]: Row[Key] };

/** A row without the columns that a processor drops, by name or by pattern. */
export type WithoutDropped<Row, Step> = unknown extends Row
  ? unknown
  : [DroppedBy<Step>] extends [never]
    ? Row
    : { [Key in keyof Row as Key extends Matching<DroppedBy<Step>> ? never : Key]: Row[Key] };

/** The entries of the drop list of a processor; none without one. */
type DroppedBy<Step> = Step extends { readonly columnNames: readonly (infer Name)[] }
  ? Name
  : 'removedColumns' extends keyof Step
    ? Step extends { readonly removedColumns?: readonly (infer Name)[] }
      ? Name
      : never
    : never;

/** The names that match an entry of a drop list. */
type Matching<Name> = Name extends `${infer Head}*${infer Tail}` ? `${Head}${string}${Matching<Tail> & string}` : Name;

type SideEffect = 'trace' | 'reasoning_content' | 'end' | 'turns' | 'user_trace' | 'state';

/** A row as one plain type, at the end of a chain; any record if the columns are unknown. */
export type FlatRow<Row> = unknown extends Row ? Record<string, unknown> : { [Key in keyof Row]: Row[Key] };

/** The name in a declaration. */
type NameOf<Config> = Config extends { readonly name: infer Name extends string } ? Name : string;

/** Whether a field was given one of these values: `boolean` where the compiler cannot tell. */
type Asks<Config, Field extends string, Values> = Config extends { readonly [Key in Field]: infer Given }
  ? Given extends Values
    ? true
    : false
  : false;

type Not<Claim extends boolean> = Claim extends true ? false : true;

/** One key of a record: absent, optional or there. A name that is not known could be any. */
type Entry<Name extends string, Value, There extends boolean> = [There] extends [false]
  ? unknown
  : string extends Name
    ? Record<string, unknown>
    : [There] extends [true]
      ? { [Key in Name]: Value }
      : { [Key in Name]?: Value };

/** A row with what a block of attempts writes; without an accepted attempt the columns of the block may be null. */
export type WithAttempts<Row, Block> = unknown extends Row
  ? unknown
  : NullColumns<Row, Block> & { [Key in `${NameOf<Block>}__attempts`]: number } & KeptAttempts<Row, Block>;

type NullColumns<Row, Block> = Block extends { readonly onExhausted: 'null' | null }
  ? { [Key in keyof Row]: Key extends keyof AttemptRow<Row, Block> ? Row[Key] | null : Row[Key] }
  : Row;

type KeptAttempts<Row, Block> = Block extends { readonly keep: infer Keep }
  ? Keep extends 'all'
    ? { [Key in `${NameOf<Block>}__all`]: readonly AttemptRow<Row, Block>[] }
    : Keep extends { readonly best: string }
      ? { [Key in `${NameOf<Block>}__score`]: LackedAttempt<Block, number> }
      : Keep extends { readonly pair: string }
        ? { [Key in `${NameOf<Block>}__score`]: LackedAttempt<Block, number> } & {
            [Key in `${NameOf<Block>}__${'chosen' | 'rejected'}`]: LackedAttempt<
              Block,
              WithScore<AttemptRow<Row, Block>>
            >;
          }
        : unknown
  : unknown;

/** An attempt with its score, unless a column of the block has that name. */
type WithScore<Attempt> = 'score' extends keyof Attempt ? Attempt : Attempt & { score: number };

/** A value that rows lack if they are kept without an accepted attempt. */
type LackedAttempt<Block, Value> = Block extends { readonly onExhausted: 'null' | 'keep_last' | null }
  ? Value | null
  : Value;

/** What the columns of a block write, side effects included. */
type AttemptRow<Row, Block> = Block extends { readonly columns: readonly (infer Name extends string)[] }
  ? { [Key in keyof Row as Key extends Name | `${Name}__${SideEffect}` ? Key : never]: Row[Key] }
  : Row;
