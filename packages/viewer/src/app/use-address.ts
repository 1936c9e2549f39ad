import { useCallback, useSyncExternalStore } from 'react';
import { type Address, formatAddress, parseAddress } from './address.ts';

let current: Address | undefined;
let currentHash: string | undefined;

function read(): Address {
  if (current === undefined || currentHash !== location.hash) {
    currentHash = location.hash;
    current = parseAddress(currentHash);
  }
  return current;
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  addEventListener('popstate', listener);
  return () => {
    removeEventListener('hashchange', listener);
    removeEventListener('popstate', listener);
  };
}

/** Goes to a view; `replace` leaves no entry in the history, for changes such as a typed search. */
export function goTo(address: Address, { replace = false } = {}): void {
  const hash = formatAddress(address);
  if (hash === location.hash) return;
  const { page, params } = read();
  const isOther = page !== address.page || params.get('d') !== address.params.get('d');
  if (replace) history.replaceState(null, '', hash);
  else history.pushState(null, '', hash);
  dispatchEvent(new PopStateEvent('popstate'));
  // Another page begins at its top, wherever this one was scrolled to.
  if (isOther) scrollTo(0, 0);
}

/** The view in the address bar. */
export function useAddress(): Address {
  return useSyncExternalStore(subscribe, read);
}

/** A function that changes the parameters of the current view. */
export function useChangeParams(): (change: (params: URLSearchParams) => URLSearchParams, replace?: boolean) => void {
  return useCallback((change, replace = false) => {
    const address = read();
    goTo({ ...address, params: change(address.params) }, { replace });
  }, []);
}
