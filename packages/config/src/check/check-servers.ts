import { FetchRefusal } from '../fetch/fetch-refusal.ts';
import { checkAddress } from '../fetch/guarded-request.ts';
import { addToColumn, type Check } from './check.ts';

/** What the servers may be that columns ask. */
export interface ServerPermissions {
  /** Whether they may stand on this machine and its own network; false where absent. */
  readonly privateAddresses?: boolean | undefined;
}

/** The address of a server that a column asks must be one that may be asked, as far as it shows that itself. */
export function checkServers(check: Check, { privateAddresses = false }: ServerPermissions): void {
  for (const { column, requires } of check.facts) {
    if (!requires.server) continue;
    const { address, field, shown } = requires.server;
    const reason = refusalOf(address, privateAddresses);
    if (reason === undefined) continue;
    const message = `the server at ${shown} may not be asked: ${reason}.`;
    const remedy = 'Give the http or https address of a server that may be asked.';
    addToColumn(check, column.name, { stage: 'run', type: 'address_refused', level: 'ERROR', field, message, remedy });
  }
}

function refusalOf(address: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(address)) return 'that is no address';
  try {
    checkAddress(new URL(address), { allowPrivate });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof FetchRefusal) return thrown.message;
    throw thrown;
  }
}
