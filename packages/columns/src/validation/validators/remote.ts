import { field, LONGEST_SECONDS, type ServerUse } from '@data-designer/core';
import { shownAddress } from '@data-designer/config';
import { checkOutputSchema, resultsSchema } from '../results-schema.ts';
import type { RemoteParams } from '../validator-params.ts';
import { defineValidator, loadedOnce } from './validator.ts';

/** Asks a server. */
export const remote = defineValidator({
  type: 'remote',
  field: ({ name }) => field(name, 'utf8', { json: true }),
  requires: (params) => ({ server: serverUse(params) }),
  check: ({ params: { outputSchema } }) => checkOutputSchema(outputSchema),
  make: (validation) => ({
    group: loadedOnce(async () => (await import('../validate-remotely.ts')).validateRemotely(validation)),
  }),
});

/** The server and its request limits. */
function serverUse({ endpointUrl, outputSchema, ...params }: RemoteParams): ServerUse {
  return {
    address: endpointUrl,
    shown: shownAddress(endpointUrl),
    field: ['validatorParams', 'endpointUrl'],
    limit: params.maxParallelRequests,
    timeoutMs: Math.min(params.timeout, LONGEST_SECONDS) * 1000,
    maxRetries: params.maxRetries,
    backoff: params.retryBackoff,
    answerSchema: outputSchema && resultsSchema(outputSchema).schema,
  };
}
