import { FetchRefusal } from './fetch-refusal.ts';

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'the server broke the connection off',
  EHOSTUNREACH: 'there is no way to the server',
  ENETUNREACH: 'there is no way to the server',
  ETIMEDOUT: 'the server does not answer',
};

/** Why a fetch failed, in plain words without a full stop. */
export function fetchReason(thrown: unknown): string {
  if (thrown instanceof FetchRefusal) return thrown.message;
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  const said = (message.split('\n')[0] ?? '').replace(/[.:]$/, '');
  return CONNECTION[code] ?? `the server cannot be talked to: ${said || code || 'the connection failed'}`;
}
