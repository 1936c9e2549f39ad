/** The maximum number of characters in a message. */
const MAX_SHOWN = 300;

/** An address for messages, without the parts that may be secret: user, query and fragment. */
export function shownAddress(address: string): string {
  const shown = URL.canParse(address) ? withoutSecrets(new URL(address)) : cut(address);
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}

function withoutSecrets({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

/** An invalid address without a possible user: everything up to the last `@`. */
function cut(address: string): string {
  const [bare = ''] = address.split(/[?#]/);
  return bare.replaceAll(/\p{Cc}/gu, '').replace(/^([a-z][a-z\d+.-]*:\/*)?.*@/i, '$1');
}
