import {
  type Call,
  type CallOutcome,
  type CallPath,
  DataDesignerError,
  type Gateway,
  stringifyJson,
} from '@data-designer/core';
import OpenAI from 'openai';

/** Where a request goes and in whose name: carried through the client's request options. */
export type CallTarget = Omit<Call, 'path' | 'body'>;

type Options = Parameters<OpenAI['buildRequest']>[0] & { readonly target?: CallTarget };
type Built = Awaited<ReturnType<OpenAI['buildRequest']>>;

/** What `buildRequest` hands to `fetchWithAuth` in place of a fetch request. */
interface GatewayRequest {
  readonly path: CallPath;
  readonly body: string;
  readonly target: CallTarget;
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

  /** Posts one JSON body for a cell and gives the parsed answer. */
  ask(path: CallPath, body: unknown, target: CallTarget): PromiseLike<unknown> {
    return this.post<unknown>(path, { body, target } as never);
  }

  override async buildRequest(options: Options): Promise<Built> {
    const { method, path, body, target } = options;
    const req = { method, path, body: stringifyJson(body), headers: NO_HEADERS, target } as unknown as Built['req'];
    return { req, url: this.baseURL, timeout: NEVER_MS };
  }

  protected override async fetchWithAuth(_url: unknown, request: unknown): Promise<Response> {
    const { path, body, target } = request as GatewayRequest;
    const outcome = await this.#gateway.call({ ...target, path, body });
    return new OutcomeResponse(outcome) as unknown as Response;
  }
}

/** The little of a fetch `Response` that the client reads, over text that is already here. */
class OutcomeResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly body = null;
  readonly url = '';
  readonly #text: string;

  constructor({ status, headers, body }: CallOutcome) {
    this.ok = status >= 200 && status < 300;
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

/** The failure behind what the client threw: the gateway's own if there is one. */
export function causeOf(thrown: unknown): DataDesignerError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof DataDesignerError) return error;
  }
  return undefined;
}
