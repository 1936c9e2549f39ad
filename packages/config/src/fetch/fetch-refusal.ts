import { messageOf, systemCode } from '@data-designer/core';

/** A refused fetch; the message is the reason, to be reported with the given address. */
export class FetchRefusal extends Error {
  override readonly name = 'FetchRefusal';
  /** Whether a retry may succeed: a connection fault, not a fault of the request. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = false, ...options }: ErrorOptions & { readonly mayPass?: boolean } = {}) {
    super(message, options);
    this.mayPass = mayPass;
  }
}

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server is listening at this address',
  ECONNRESET: 'the server closed the connection',
  EHOSTUNREACH: 'the server cannot be reached over the network',
  ENETUNREACH: 'the server cannot be reached over the network',
  ETIMEDOUT: 'the server does not respond',
};

/** Why a fetch failed, as text without a full stop. */
export function fetchReason(thrown: unknown): string {
  if (thrown instanceof FetchRefusal) return thrown.message;
  const code = systemCode(thrown);
  const message = messageOf(thrown);
  const said = (message.split('\n')[0] ?? '').replace(/[.:]$/, '');
  return CONNECTION[code] ?? `the connection to the server failed: ${said || code || 'the connection failed'}`;
}
