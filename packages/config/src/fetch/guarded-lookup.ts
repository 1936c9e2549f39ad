import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { FetchRefusal } from './fetch-refusal.ts';
import { addressKind } from './public-address.ts';

/** Which addresses may be reached besides public ones. */
export interface Reach {
  /** Also addresses of this machine and its network. */
  readonly allowPrivate: boolean;
}

/** Looks up names for a connection, so that it uses a checked address; fails with `FetchRefusal` for a forbidden one. */
export function guardedLookup(reach: Reach): LookupFunction {
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (failure, found) => {
      const refused = failure ? unknownName(name, failure) : refusalOf(name, found, reach);
      const [first] = found ?? [];
      if (refused || !first) callback(refused ?? unknownName(name), '', 0);
      else if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

/** Refuses a host that is itself a forbidden address: such a host is not looked up. */
export function checkHost(host: string, reach: Reach): void {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0) return;
  const refused = refusalOf(address, [{ address, family: isIP(address) }], reach);
  if (refused) throw refused;
}

/** The refusal of a name with a forbidden address; one is enough. */
export function refusalOf(name: string, found: readonly LookupAddress[], reach: Reach): FetchRefusal | undefined {
  const kinds = found.map(({ address }) => addressKind(address));
  if (kinds.includes('unusable')) return new FetchRefusal(`'${name}' has an address that cannot be used`);
  if (reach.allowPrivate || !kinds.includes('local')) return undefined;
  return new FetchRefusal(`'${name}' is on this machine or its network; pass --allow-private to allow such addresses`);
}

function unknownName(name: string, cause?: NodeJS.ErrnoException): FetchRefusal {
  // The name server did not answer: a retry may succeed.
  const mayPass = cause?.code === 'EAI_AGAIN';
  return new FetchRefusal(`the server name '${name}' cannot be resolved`, { cause, mayPass });
}
