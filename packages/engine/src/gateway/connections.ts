import { buildConnector, Client, type Dispatcher } from 'undici';

/** One for all: each that a client makes for itself costs 6 kB. */
const CONNECT = buildConnector({});

/**
 * Connections to one server, one request on each at a time, made when they are needed. Gives them out in one step where
 * undici's `Pool` looks through all of them: with thousands that costs more than the request does.
 */
export class Connections implements AsyncDisposable {
  readonly #origin: string;
  readonly #all: Client[] = [];
  readonly #idle: Client[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Does something over a connection of its own; the one that was used last is taken first. */
  async use<Result>(work: (connection: Dispatcher) => Promise<Result>): Promise<Result> {
    const client = this.#idle.pop() ?? this.#open();
    try {
      return await work(client);
    } finally {
      this.#idle.push(client);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((client) => client.destroy()));
  }

  #open(): Client {
    // How long an answer may take is the gateway's business.
    const client = new Client(this.#origin, {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: CONNECT,
    });
    this.#all.push(client);
    return client;
  }
}
