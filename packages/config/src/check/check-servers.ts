import { knownNames } from '@data-designer/core';
import { FetchRefusal } from '../fetch/fetch-refusal.ts';
import { checkAddress } from '../fetch/guarded-request.ts';
import { ADD_PROVIDER, addToColumn, type Check, runError } from './check.ts';

/** Which servers columns may call. */
export interface ServerPermissions {
  /** Whether addresses of this machine and its network are allowed; false if absent. */
  readonly privateAddresses?: boolean | undefined;
}

/** Checks the addresses of the servers that columns call, without a lookup of their names. */
export function checkServers(check: Check, { privateAddresses = false }: ServerPermissions): void {
  for (const { column, requires } of check.facts) {
    if (!requires.server) continue;
    const { address, field, shown } = requires.server;
    const reason = refusalOf(address, privateAddresses);
    if (reason === undefined) continue;
    const message = `requests to the server at ${shown} are not allowed: ${reason}.`;
    const remedy = 'Use the http(s) address of a public server.';
    addToColumn(check, column.name, { field, ...runError('address_refused', message, remedy) });
  }
}

/** Checks that the execution providers that columns name exist. */
export function checkPrograms(check: Check): void {
  const { facts, providers } = check;
  if (!providers) return;
  for (const { column, requires } of facts) {
    if (!requires.programs) continue;
    const { provider, field } = requires.programs;
    const { programs = [] } = providers;
    if (programs.includes(provider)) continue;
    const remedy = `${knownNames(provider, programs)} ${ADD_PROVIDER}`;
    const message = `there is no execution provider '${provider}'.`;
    addToColumn(check, column.name, { field, ...runError('unknown_provider', message, remedy) });
  }
}

function refusalOf(address: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(address)) return 'it is not a valid address';
  try {
    checkAddress(new URL(address), { allowPrivate });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof FetchRefusal) return thrown.message;
    throw thrown;
  }
}
