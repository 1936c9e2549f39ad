import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { FetchRefusal } from './fetch-refusal.ts';
import { addressKind } from './public-address.ts';

/** What may be connected to beside public addresses. */
export interface Reach {
  /** Addresses of this machine and its own network too. */
  readonly allowPrivate: boolean;
}

/**
 * Looks names up for a connection and gives it only addresses that were checked, so that what is connected to is what
 * was looked at. Fails with `FetchRefusal` where any of a name's addresses is out of reach.
 */
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

/** Refuses a host that is itself an address out of reach: it is connected to without being looked up. */
export function checkHost(host: string, reach: Reach): void {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0) return;
  const refused = refusalOf(address, [{ address, family: isIP(address) }], reach);
  if (refused) throw refused;
}

/** Why the addresses that were found for a name are not connected to; one out of reach is enough. */
export function refusalOf(name: string, found: readonly LookupAddress[], reach: Reach): FetchRefusal | undefined {
  const kinds = found.map(({ address }) => addressKind(address));
  if (kinds.includes('unusable')) return new FetchRefusal(`'${name}' is at an address that serves no documents`);
  if (reach.allowPrivate || !kinds.includes('local')) return undefined;
  return new FetchRefusal(
    `'${name}' is on this machine or its own network, and only public servers are asked unless allowed (--allow-private)`,
  );
}

function unknownName(name: string, cause?: NodeJS.ErrnoException): FetchRefusal {
  // The names themselves could not be asked after: a moment later they may.
  const mayPass = cause?.code === 'EAI_AGAIN';
  return new FetchRefusal(`there is no server named '${name}' that can be found`, { cause, mayPass });
}
