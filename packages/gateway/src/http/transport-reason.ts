const LONGEST = 300;

/** Why a request could not be made or came to nothing: what the transport says, in one line. */
export function transportReason(cause: unknown): string {
  const text = wordsOf(cause).replaceAll(/\s+/g, ' ').trim();
  return (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text).replace(/\.+$/, '') || 'no reason was given';
}

/** A failure of several addresses of one name says nothing itself. */
function wordsOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '')
    return [...new Set(cause.errors.map(wordsOf))].join('; ');
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || (cause as NodeJS.ErrnoException).code || cause.name;
}
