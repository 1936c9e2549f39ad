import type { AnySchema, OutputOf } from './column-set.ts';

/** A value drawn from a list, with its literal type. */
export type DrawnValue<List> = List extends readonly unknown[] ? Alike<List[number]> : unknown;

/** A value drawn from one of several lists: a number, or text if any list contains text. */
export type DrawnSubvalue<Lists> =
  Lists extends Readonly<Record<string, readonly unknown[]>>
    ? HasText<Lists[keyof Lists][number]> extends true
      ? { [Key in keyof Lists]: AsText<Lists[Key][number]> }[keyof Lists]
      : Unboxed<Lists[keyof Lists][number]>
    : unknown;

/** Numbers stay numbers; with a text among them all become text (as in NeMo Data Designer). */
type Alike<Value> = HasText<Value> extends true ? Printed<Value> : Unboxed<Value>;

/** A list of numbers prints all in one format, so that an integer may get a point. */
type AsText<Value> = HasText<Value> extends true ? Printed<Value> : `${number}`;

type HasText<Value> = [Extract<Value, string>] extends [never] ? false : true;
type Unboxed<Value> = Value extends number | bigint ? Value : number;
type Printed<Value> = Value extends string | number | bigint ? `${Value}` : string;

/** The type of a `dtype`; text without one. */
export type CastValue<Config> = Config extends { readonly dtype: infer Dtype } ? Cast<Dtype> : string;

/** The values of a `dtype`, by its name. */
interface Casts {
  str: string;
  int: number;
  float: number;
  bool: boolean;
}

type Cast<Dtype> = Dtype extends keyof Casts ? Casts[Dtype] : string;

/** A row with the columns that a processor adds. */
export type WithAdded<Row, Step> = unknown extends Row
  ? unknown
  : Row & (Step extends { readonly addedColumns?: infer Added } ? AddedValues<Added> : unknown);

type AddedValues<Added> = [Added] extends [never]
  ? unknown
  : { -readonly [Key in keyof Added]: Added[Key] extends keyof Casts ? Casts[Added[Key]] : unknown };

/** The answer to a format: the output of a library's schema, any mapping for a JSON Schema, or any value for a row's own. */
export type StructuredValue<Format> = Format extends string
  ? unknown
  : Format extends AnySchema
    ? StoredValue<OutputOf<Format>>
    : Record<string, unknown>;

/** A value as a dataset holds it: the files of a dataset have null where an answer leaves out an optional member. */
type StoredValue<Value> = unknown extends Value
  ? Value
  : Value extends object
    ? { [Key in keyof Value]: StoredMember<Value, Key> }
    : Value;

type StoredMember<Value, Key extends keyof Value> =
  | StoredValue<Value[Key]>
  | (string extends Key ? never : Value extends Readonly<Record<Key, unknown>> ? never : null);

/** The answer of a judge: for each score its reasoning and one of its options. */
export type JudgedValue<Scores> = Scores extends readonly (infer Score)[]
  ? { [One in Score as ScoreName<One>]: { reasoning: string; score: ScoreOption<One> } }
  : never;

type ScoreName<Score> = Score extends { readonly name: infer Name extends string } ? Name : string;

type ScoreOption<Score> = Score extends { readonly options: infer Options } ? OptionOf<Options> : string;

/** The keys of a mapping, always text, or the first items of pairs. */
type OptionOf<Options> = Options extends readonly (readonly [infer Option, unknown])[]
  ? Option
  : `${keyof Options & (string | number)}`;
