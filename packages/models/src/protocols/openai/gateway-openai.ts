import OpenAI, { type APIPromise } from 'openai';
import { type CallPath, type Gateway, stringifyJson } from '@data-designer/core';
import { parseBody } from '../../answers/parse-body.ts';
import { type CallTarget, sendCall } from '../../send-call.ts';

type Options = Awaited<Parameters<OpenAI['request']>[0]> & { readonly target: CallTarget };

/**
 * The OpenAI client with its transport replaced by the gateway. Addresses, headers, keys, retries and deadlines belong
 * to the I/O thread, so that of a request there is left what is asked and what comes back: the client's own way there,
 * with a controller, a timer and five promises of its own, takes 15 us.
 */
export class GatewayOpenAI extends OpenAI {
  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    super({ apiKey: 'held by the gateway', baseURL: 'http://gateway.invalid', maxRetries: 0, logLevel: 'off' });
    this.#gateway = gateway;
  }

  /** Posts one JSON body for a cell and gives the parsed answer; throws `model/*` failures. */
  ask(path: CallPath, body: unknown, target: CallTarget): Promise<unknown> {
    return this.post<unknown>(path, { body, target } as never);
  }

  override request<Answer>(options: Options | Promise<Options>): APIPromise<Answer> {
    return this.#send(options) as APIPromise<Answer>;
  }

  async #send(options: Options | Promise<Options>): Promise<unknown> {
    const { path, body, target } = await options;
    const asked = { body: stringifyJson(body), target };
    const answer = await sendCall(this.#gateway, path as CallPath, asked);
    return parseBody(answer.body, target, JSON.parse);
  }
}
