/**
 * A type that depends on the type of a declaration: extend it and give `type` in terms of `this['config']`. It exists for
 * the compiler alone.
 */
export interface TypeFunction {
  readonly config: unknown;
  readonly type: unknown;
}

/** A type function applied to the type of a declaration; any other type stays as it is. */
export type Applied<Type, Config> = Type extends TypeFunction ? (Type & { readonly config: Config })['type'] : Type;

/** Carries a type in a value, so that `defineColumn` and `defineSampler` can infer it. */
export interface ValueType<out Type> {
  readonly type?: Type;
}

/** Declares the TypeScript type of what a column or sampler writes, or a `TypeFunction` that gives it. */
export function valueType<Type>(): ValueType<Type> {
  return {};
}
