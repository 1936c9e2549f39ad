import type { ModelDeclaration } from './declarations.ts';

/** A model with the type of its alias. */
export type ModelNamed<Alias extends string> = ModelDeclaration & { readonly alias: Alias };

/** The aliases after one is deleted: an alias that the compiler does not know deletes none. */
export type WithoutAlias<Alias extends string, Deleted extends string> = string extends Deleted
  ? Alias
  : Exclude<Alias, Deleted>;

/** Refuses a literal alias that is not among the models, in a declaration and in the objects in its fields. */
export type OfModels<Config, Alias extends string> = string extends Alias
  ? unknown
  : AliasFields<Config, Alias> & {
      readonly [Key in keyof Config as Config[Key] extends NamesModel ? Key : never]: AliasFields<Config[Key], Alias>;
    };

type AliasKey = 'modelAlias' | `${string}ModelAlias`;

type NamesModel = { readonly [Key in 'modelAlias' | 'fallbackModelAlias']?: string | null };

type AliasFields<Config, Alias extends string> = {
  readonly [Key in keyof Config & AliasKey]: KnownAlias<Config[Key], Alias>;
};

/** An alias that is not a literal may be any. */
type KnownAlias<Given, Alias extends string> = Given extends string
  ? string extends Given
    ? unknown
    : Given extends Alias
      ? unknown
      : UnknownModel<Alias>
  : unknown;

/** What an unknown alias would have to be; no text is. */
interface UnknownModel<Declared extends string> {
  /** The aliases of the models. */
  readonly declaredModels: Declared;
}
