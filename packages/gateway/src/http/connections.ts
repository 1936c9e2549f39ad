import { buildConnector, Client, type Dispatcher, ProxyAgent } from 'undici';

/** How long an answer may take is the gateway's business. */
const WITHOUT_LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const;
/** One for all: each that a client makes for itself costs 6 kB. */
const CONNECT = buildConnector({});

/**
 * Connections to one server, one request on each at a time, made when they are needed. Gives them out in one step where
 * undici's `Pool` looks through all of them: with thousands that costs more than the request does. Those that lead
 * through a proxy are left to undici.
 */
export class Connections implements AsyncDisposable {
  readonly #origin: string;
  readonly #all: Client[] = [];
  readonly #idle: Client[] = [];
  readonly #proxy: ProxyAgent | undefined;
  readonly #proxied: Dispatcher | undefined;

  constructor(origin: string, proxy?: string) {
    this.#origin = origin;
    if (proxy === undefined) return;
    // Many proxies open tunnels to port 443 alone: what is not encrypted is handed to them as it is.
    const agent = new ProxyAgent({ uri: proxy, proxyTunnel: false });
    this.#proxy = agent;
    this.#proxied = agent.compose(
      (dispatch) => (asked, handler) => dispatch({ ...WITHOUT_LIMITS, ...asked, origin }, handler),
    );
  }

  /** Does something over a connection of its own; the one that was used last is taken first. */
  async use<Result>(work: (connection: Dispatcher) => Promise<Result>): Promise<Result> {
    if (this.#proxied) return work(this.#proxied);
    const client = this.#idle.pop() ?? this.#open();
    try {
      return await work(client);
    } finally {
      this.#idle.push(client);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#proxy?.destroy(), ...this.#all.map((client) => client.destroy())]);
  }

  #open(): Client {
    const client = new Client(this.#origin, { pipelining: 1, connect: CONNECT, ...WITHOUT_LIMITS });
    this.#all.push(client);
    return client;
  }
}
