import { DataDesignerError, readSecret, resolveSecret } from '@data-designer/core';

/** A token, and how messages name it. */
export interface HubToken {
  readonly value: string;
  readonly shown: string;
}

const SEED = "The seed of the type 'hf' (token)";
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;

/** The user of a token, as errors name it. */
interface TokenUse {
  readonly dataset: string;
  /** Default: the seed of the type `hf`. */
  readonly owner?: string;
}

/**
 * Resolves the token of a seed or a push: `${NAME}`, the name of a variable, or the token itself; undefined for none. Throws
 * `secret/missing` for a variable that is not set, and `hub/unauthorized` for text that is not a token.
 */
export function readHubToken(
  written: string | null,
  environment: Readonly<Record<string, string | undefined>>,
  { dataset, owner = SEED }: TokenUse,
): HubToken | undefined {
  if (written === null || written === '') return undefined;
  const reference = readSecret(written);
  const isSet = Object.hasOwn(environment, written) && environment[written] !== undefined;
  if (reference.from === 'environment-or-literal' && !isSet && VARIABLE.test(written))
    throw new DataDesignerError('secret/missing', { name: written, owner });
  const value = resolveSecret(reference, environment, owner).trim();
  const name = reference.from === 'environment' ? reference.name : written;
  const shown = reference.from === 'environment' || isSet ? `the token in the variable ${name}` : 'the given token';
  if (/^[\x21-\x7e]+$/.test(value)) return { value, shown };
  const reason = `${shown} is empty or contains invalid characters`;
  throw new DataDesignerError('hub/unauthorized', { dataset, status: 401, reason, remedy: 'Correct the token.' });
}
