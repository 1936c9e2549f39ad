import { type CallOutcome, type CallPath, type Gateway, stringifyJson } from '@data-designer/core';
import OpenAI from 'openai';
import { type CallTarget, sendCall } from '../send-call.ts';

/** One request on its way through the client: what it is about, and the failure the gateway gave instead of an answer. */
interface Exchange {
  readonly target: CallTarget;
  failure?: unknown;
}

type Options = Parameters<OpenAI['buildRequest']>[0] & { readonly exchange?: Exchange };
type Built = Awaited<ReturnType<OpenAI['buildRequest']>>;

/** What `buildRequest` hands to `fetchWithAuth` in place of a fetch request. */
interface GatewayRequest {
  readonly path: CallPath;
  readonly body: string;
  readonly exchange: Exchange;
}

const NO_HEADERS = new Headers();
const NEVER_MS = 2 ** 31 - 1;

/**
 * The OpenAI client with its transport replaced by the gateway: it builds requests and reads answers here, while
 * addresses, headers, keys, retries and deadlines belong to the I/O thread.
 */
export class GatewayOpenAI extends OpenAI {
  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    super({
      apiKey: 'held by the gateway',
      baseURL: 'http://gateway.invalid',
      maxRetries: 0,
      logLevel: 'off',
      timeout: NEVER_MS,
    });
    this.#gateway = gateway;
  }

  /** Posts one JSON body for a cell and gives the parsed answer; throws `model/*` failures, or a `SyntaxError`. */
  async ask(path: CallPath, body: unknown, target: CallTarget): Promise<unknown> {
    const exchange: Exchange = { target };
    try {
      return await this.post<unknown>(path, { body, exchange } as never);
    } catch (thrown) {
      // The client wraps what its transport throws, and takes some of it for something else.
      throw exchange.failure ?? thrown;
    }
  }

  override async buildRequest(options: Options): Promise<Built> {
    const { method, path, body, exchange } = options;
    const req = { method, path, body: stringifyJson(body), headers: NO_HEADERS, exchange } as unknown as Built['req'];
    return { req, url: this.baseURL, timeout: NEVER_MS };
  }

  protected override async fetchWithAuth(_url: unknown, request: unknown): Promise<Response> {
    const { path, body, exchange } = request as GatewayRequest;
    try {
      const outcome = await sendCall(this.#gateway, path, { body, target: exchange.target });
      return new OutcomeResponse(outcome) as unknown as Response;
    } catch (thrown) {
      exchange.failure = thrown;
      throw thrown;
    }
  }
}

/** The little of a fetch `Response` that the client reads, over text that is already here. */
class OutcomeResponse {
  readonly ok = true;
  readonly status: number;
  readonly headers: Headers;
  readonly body = null;
  readonly url = '';
  readonly #text: string;

  constructor({ status, headers, body }: CallOutcome) {
    this.status = status;
    this.headers = plainHeaders(headers);
    this.#text = body;
  }

  text(): Promise<string> {
    return Promise.resolve(this.#text);
  }
}

const known = new Map<string, Headers>();

/** Most answers differ in no header that is kept, so that one `Headers` serves them all. */
function plainHeaders(headers: CallOutcome['headers']): Headers {
  const type = headers['content-type'] ?? '';
  let shared = known.get(type);
  if (!shared) known.set(type, (shared = new Headers(type === '' ? {} : { 'content-type': type })));
  return shared;
}
