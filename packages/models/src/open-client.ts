import {
  type Address,
  type CallOutcome,
  DataDesignerError,
  type Gateway,
  fieldsOf,
  limitsOf,
  type PlannedModel,
  readableJson,
  stringifyJson,
} from '@data-designer/core';
import { failureOfOutcome } from './answers/failure-of-outcome.ts';
import { unsupported } from './answers/model-refusals.ts';
import { parseBody } from './answers/parse-body.ts';
import { readTokens } from './answers/read-tokens.ts';
import type { Meter, ModelClient, ModelRequest } from './model-client.ts';
import type { ModelRequests, PreparedRequest } from './model-protocol.ts';
import { protocolOf } from './protocols/protocols.ts';

/** The client that asks a model through the gateway, by the protocol of its provider. */
export function openClient(gateway: Gateway, { protocol: name, resource, alias }: PlannedModel): ModelClient {
  const protocol = protocolOf(name);
  const loading = protocol.loadRequests();
  // Each request that awaits it reports the failure.
  loading.catch(() => {});

  async function ask<Request extends ModelRequest, Answer>(
    kind: Kind<Request, Answer>,
    request: Request,
    { at, meter }: { readonly at: Address; readonly meter: Meter | undefined },
  ): Promise<Answer> {
    const requests = await loading;
    const prepare = kind.of(requests);
    if (!prepare) throw unsupported(request.model, kind.capability, name);
    const { path, body, read, countImages } = prepare(request);
    const parsing = { model: request.model, meter, parse: requests.parseBody };
    try {
      const origin = { alias, purpose: request.purpose ?? 'first' };
      const shown = request.pictures === undefined ? {} : { pictures: request.pictures };
      const written = stringifyJson(body);
      const sent = { resource, path, body: readableJson(written), ...shown };
      if (sent.body !== written) meter?.onMended?.();
      const call = { ...sent, ...limitsOf(request), ...at, origin };
      const outcome = await gateway.call(call);
      meter?.onOutcome(outcome);
      if (!isUsable(outcome)) throw failureOfOutcome(outcome, { ...request, form: protocol.paths[path] });
      const answer = parseBody(outcome.body, parsing);
      meter?.onSpent({ tokens: readTokens(fieldsOf(answer).usage), pictures: countImages?.(answer) ?? 0 });
      return read(answer, at);
    } catch (thrown) {
      throw DataDesignerError.fromUnknown(thrown);
    }
  }

  return {
    chat: (request, at, meter) => ask(CHAT, request, { at, meter }),
    embed: (request, at, meter) => ask(EMBED, request, { at, meter }),
    generateImage: (request, at, meter) => ask(GENERATE_IMAGE, request, { at, meter }),
  };
}

/** A kind of request, and how a failure names it. */
interface Kind<Request, Answer> {
  readonly of: (requests: ModelRequests) => ((request: Request) => PreparedRequest<Answer>) | undefined;
  readonly capability: string;
}

const CHAT = { of: ({ chat }: ModelRequests) => chat, capability: 'chat' } as const;
const EMBED = { of: ({ embed }: ModelRequests) => embed, capability: 'make vectors' } as const;
const GENERATE_IMAGE = {
  of: ({ generateImage }: ModelRequests) => generateImage,
  capability: 'make pictures',
} as const;

function isUsable({ status, verdict }: CallOutcome): boolean {
  return status >= 200 && status < 300 && verdict !== 'unusable' && verdict !== 'no-choice';
}
