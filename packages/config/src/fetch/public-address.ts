import { BlockList, isIP } from 'node:net';

/** Whether an address is anybody's on the internet, one of this machine or its own network, or neither. */
export type AddressKind = 'public' | 'local' | 'unusable';

/** A network and how many leading bits name it. */
type Network = readonly [string, number];

/** Loopback and what may be handed out within an organisation (RFC 1122, 1918, 6598, 2544). */
const LOCAL_IPV4: readonly Network[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
];

/** What no document is served from (IANA special-purpose registry), and where machines in clouds learn their keys. */
const UNUSABLE_IPV4: readonly Network[] = [
  ['0.0.0.0', 8],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Loopback and unique local addresses (RFC 4193). */
const LOCAL_IPV6: readonly Network[] = [
  ['::1', 128],
  ['fc00::', 7],
];

/** An IPv4 address behind a network's translator (RFC 6052): as public as the address in its last 32 bits. */
const TRANSLATED = '64:ff9b::';

const ROUTED_IPV6: readonly Network[] = [
  ['2000::', 3],
  [TRANSLATED, 96],
];

/** Protocol assignments with Teredo, documentation, 6to4, a cloud's keys, and translated what IPv4 has no use for. */
const UNUSABLE_IPV6: readonly Network[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['fd00:ec2::254', 128],
  ...[...LOCAL_IPV4, ...UNUSABLE_IPV4].map(([network, bits]): Network => [`${TRANSLATED}${network}`, bits + 96]),
];

const local = { ipv4: listOf(LOCAL_IPV4, 'ipv4'), ipv6: listOf(LOCAL_IPV6, 'ipv6') };
const unusable = { ipv4: listOf(UNUSABLE_IPV4, 'ipv4'), ipv6: listOf(UNUSABLE_IPV6, 'ipv6') };
const routed = listOf(ROUTED_IPV6, 'ipv6');

/**
 * The kind of an IP address in its usual spelling. IPv6 is public only where addresses are given out: what wraps an
 * IPv4 address, stays on one link, names a zone or goes to many is unusable, as is what is no address.
 */
export function addressKind(address: string): AddressKind {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return 'unusable';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (unusable[family].check(address, family)) return 'unusable';
  if (local[family].check(address, family)) return 'local';
  return family === 'ipv4' || routed.check(address, 'ipv6') ? 'public' : 'unusable';
}

/** One list for each family: in a list of both, IPv4 networks also hold IPv6 addresses that wrap them. */
function listOf(networks: readonly Network[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, bits] of networks) list.addSubnet(network, bits, family);
  return list;
}
