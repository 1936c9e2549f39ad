import { field } from '@data-designer/core';
import { checkOutputSchema } from '../results-schema.ts';
import { defineValidator, loadedOnce } from './validator.ts';

/** Calls a function of the program. */
export const localCallable = defineValidator({
  type: 'local_callable',
  field: ({ name }) => field(name, 'utf8', { json: true }),
  check: ({ params: { outputSchema } }) => checkOutputSchema(outputSchema),
  make: ({ params, ...validation }) => ({
    group: loadedOnce(async () => {
      const { validateLocally } = await import('../validate-locally.ts');
      return validateLocally({ ...validation, ...params });
    }),
  }),
});
