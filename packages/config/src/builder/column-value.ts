import type { AnySchema, OutputOf } from './column-set.ts';

/** What is drawn from a list: one of its values, as literals where it is written as literals. */
export type DrawnValue<List> = List extends readonly unknown[] ? Alike<List[number]> : unknown;

/** What is drawn from one of several lists, each under its own key: numbers, or texts if there is any text in them. */
export type DrawnSubvalue<Lists> =
  Lists extends Readonly<Record<string, readonly unknown[]>>
    ? HasText<Lists[keyof Lists][number]> extends true
      ? { [Key in keyof Lists]: AsText<Lists[Key][number]> }[keyof Lists]
      : Unboxed<Lists[keyof Lists][number]>
    : unknown;

/** Numbers stay numbers; with a text among them, all are text (as in NeMo Data Designer). */
type Alike<Value> = HasText<Value> extends true ? Printed<Value> : Unboxed<Value>;

/** A list of numbers prints them alike, so that an integer may get a point. */
type AsText<Value> = HasText<Value> extends true ? Printed<Value> : `${number}`;

type HasText<Value> = [Extract<Value, string>] extends [never] ? false : true;
type Unboxed<Value> = Value extends number | bigint ? Value : number;
type Printed<Value> = Value extends string | number | bigint ? `${Value}` : string;

/** What a text is cast to by a `dtype`; text where none is named. */
export type CastValue<Config> = Config extends { readonly dtype: infer Dtype } ? Cast<Dtype> : string;

/** The values of a `dtype`, by its name. */
interface Casts {
  str: string;
  int: number;
  float: number;
  bool: boolean;
}

type Cast<Dtype> = Dtype extends keyof Casts ? Casts[Dtype] : string;

/** What a model answers to a format: the output of a library's schema, or any mapping for a JSON Schema. */
export type StructuredValue<Format> = Format extends AnySchema ? OutputOf<Format> : Record<string, unknown>;

/** What a judge answers: for each score its reasoning, and one of the score's options. */
export type JudgedValue<Scores> = Scores extends readonly (infer Score)[]
  ? { [One in Score as ScoreName<One>]: { reasoning: string; score: ScoreOption<One> } }
  : never;

type ScoreName<Score> = Score extends { readonly name: infer Name extends string } ? Name : string;

type ScoreOption<Score> = Score extends { readonly options: infer Options } ? OptionOf<Options> : string;

/** Of a mapping its keys, which are always text; of pairs what stands first in them. */
type OptionOf<Options> = Options extends readonly (readonly [infer Option, unknown])[]
  ? Option
  : `${keyof Options & (string | number)}`;
