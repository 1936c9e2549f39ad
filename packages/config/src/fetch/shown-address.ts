/** Characters: what is longer is no address that anybody reads in a message. */
const MAX_SHOWN = 300;

/** An address as messages show it, without what may be secret in it: its user, its query and its fragment. */
export function shownAddress(address: string): string {
  const shown = URL.canParse(address) ? withoutSecrets(new URL(address)) : cut(address);
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}

function withoutSecrets({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

/** Of what does not parse, all that may be a user goes: everything up to the last `@`. */
function cut(address: string): string {
  const [bare = ''] = address.split(/[?#]/);
  return bare.replaceAll(/\p{Cc}/gu, '').replace(/^([a-z][a-z\d+.-]*:\/*)?.*@/i, '$1');
}
