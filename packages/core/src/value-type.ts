/**
 * A type that depends on the type of a declaration. Extend it and define `type` in terms of `this['config']`. No value has
 * this type.
 */
export interface TypeFunction {
  /** The type of the declaration. */
  readonly config: unknown;
  /** The resulting type, in terms of `this['config']`. */
  readonly type: unknown;
}

/** A type function applied to the type of a declaration; any other type stays as it is. */
export type AppliedType<Type, Config> = Type extends TypeFunction ? (Type & { readonly config: Config })['type'] : Type;

/** Carries a type in a value, so that `defineColumn` and `defineSampler` can infer it. */
export interface ValueType<out Type> {
  /** Never set: it has the type only. */
  readonly type?: Type;
}

/** Declares the TypeScript type of what a column or sampler writes, or a `TypeFunction` that gives it. */
export function valueType<Type>(): ValueType<Type> {
  return {};
}
