import type { Address } from '@data-designer/core';
import type { ModelClient } from './model-client.ts';

/** A client that counts its open requests in `inFlight`, by column. */
export function inFlightClient(client: ModelClient, inFlight: Map<string, number>): ModelClient {
  const add = (column: string, more: number): void => void inFlight.set(column, (inFlight.get(column) ?? 0) + more);
  const during = async <Answer>({ column }: Address, send: () => Promise<Answer>): Promise<Answer> => {
    add(column, 1);
    try {
      return await send();
    } finally {
      add(column, -1);
    }
  };
  return {
    chat: (request, at, meter) => during(at, () => client.chat(request, at, meter)),
    embed: (request, at, meter) => during(at, () => client.embed(request, at, meter)),
    generateImage: (request, at, meter) => during(at, () => client.generateImage(request, at, meter)),
  };
}
