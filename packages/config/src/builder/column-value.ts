import type { z } from 'zod';

/** A list of values to draw from, as literals where it is written as literals. */
type Values = readonly unknown[];

/** What is drawn from a list: one of its values, all as text where there is any text among them. */
export type DrawnValue<List> = List extends Values ? Alike<List[number]> : unknown;

/** What is drawn from lists by the value of a parent column. */
export type DrawnSubvalue<Lists> = Lists extends Readonly<Record<string, Values>>
  ? { [Parent in keyof Lists]: DrawnValue<Lists[Parent]> }[keyof Lists]
  : unknown;

/** Lists of numbers give numbers; with text among them, everything is text (reference/config.md 3.2). */
type Alike<Value> = [Extract<Value, string>] extends [never]
  ? Exclude<Value, object> | (Extract<Value, object> extends never ? never : number)
  : Extract<Value, string> | Printed<Exclude<Value, string>>;

/** The text of a number that stands among texts. */
type Printed<Value> = Value extends number | bigint ? (Value extends number ? `${Value}` : `${Value}`) : string;

/** What a text is cast to by the name of a type; text where none is named. */
export type CastValue<Config> = Config extends { readonly dtype: infer Name } ? CastTo<Name> : string;

type CastTo<Name> = Name extends 'str' ? string : Name extends 'bool' ? boolean : Name extends 'int' | 'float' ? number : string;

/** What a model answers to a format: what the zod schema gives, or any mapping for a JSON Schema. */
export type StructuredValue<Format> = Format extends z.ZodType ? z.output<Format> : Record<string, unknown>;

/** What a judge answers: for each score its reasons and the key of one of the options. */
export type JudgedValue<Scores> = Scores extends readonly (infer Score)[]
  ? { [One in Score as NameOfScore<One>]: { reasoning: string; score: OptionOf<One> } }
  : Record<string, { reasoning: string; score: string }>;

type NameOfScore<Score> = Score extends { readonly name: infer Name extends string } ? Name : string;

/** Keys of options are text in a cell, numbers in the declaration included. */
type OptionOf<Score> = Score extends { readonly options: infer Options } ? `${keyof Options & (string | number)}` : string;
