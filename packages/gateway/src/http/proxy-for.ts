type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for an address: `http_proxy` or `https_proxy`, unless `no_proxy` names its host;
 * in small letters first. Undefined where there is none, and for this machine itself.
 */
export function proxyFor(address: string, environment: Environment): string | undefined {
  const { protocol, hostname, port } = new URL(address);
  const named = (name: string) => environment[name] || environment[name.toUpperCase()] || undefined;
  const proxy = named(protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  if (proxy === undefined || isLoopback(hostname)) return undefined;
  const host = { hostname, port: port || (protocol === 'https:' ? '443' : '80') };
  if ((named('no_proxy') ?? '').split(/[\s,]+/).some((entry) => isMeant(entry.toLowerCase(), host))) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^(?:127\.|\[::1\]$)/.test(hostname);
}

/** An entry is `*`, a host and its subdomains, or a host with its port. */
function isMeant(entry: string, { hostname, port }: { readonly hostname: string; readonly port: string }): boolean {
  if (entry === '' || entry === '*') return entry === '*';
  const [, host = entry, wanted] = /^(.+):(\d+)$/.exec(entry) ?? [];
  if (wanted !== undefined && wanted !== port && !entry.startsWith('[')) return false;
  const domain = host.replace(/^\*?\./, '');
  return hostname === domain || hostname.endsWith(`.${domain}`);
}
