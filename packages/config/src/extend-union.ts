import type { z } from 'zod';

/** A union with the types that plug-ins add; to the compiler, their values are values of the built-in types. */
export function extendUnion<Union extends z.ZodDiscriminatedUnion>(
  union: Union,
  further: readonly { readonly schema: z.ZodObject }[],
): Union {
  return union.clone({ ...union.def, options: [...union.options, ...further.map(({ schema }) => schema)] });
}
