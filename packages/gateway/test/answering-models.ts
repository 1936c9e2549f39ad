import type { ServerResponse } from 'node:http';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';

/** What a model was asked: its name, and the last message. */
export interface Asked {
  readonly model: string;
  readonly prompt: string;
}

/** A server of models that answer as a test says; they say their name and what they were asked unless told otherwise. */
export class AnsweringModels implements Disposable {
  readonly #server: AnsweringServer;
  /** Every question, in the order in which they came. */
  asked: Asked[] = [];
  answer: (asked: Asked, response: ServerResponse) => void = say;

  private constructor(server: AnsweringServer) {
    this.#server = server;
  }

  static async open(): Promise<AnsweringModels> {
    const server = await openAnsweringServer((body, response) => {
      const { model = '', messages = [] } = JSON.parse(body) as { model?: string; messages?: { content: string }[] };
      const one = { model, prompt: messages.at(-1)?.content ?? '' };
      models.asked.push(one);
      models.answer(one, response);
    });
    const models = new AnsweringModels(server);
    return models;
  }

  /** The address of the server, without a path. */
  get origin(): string {
    return this.#server.origin;
  }

  /** The endpoint of a provider. */
  get endpoint(): string {
    return `${this.origin}/v1`;
  }

  /** As if it had just been opened. */
  reset(): void {
    this.asked = [];
    this.answer = say;
  }

  [Symbol.dispose](): void {
    this.#server[Symbol.dispose]();
  }
}

/** A model says its name and what it was asked. */
export function say({ model, prompt }: Asked, response: ServerResponse): void {
  reply(response, completion(`${model}: ${prompt}`, { prompt_tokens: 10, completion_tokens: 3 }));
}

/** A model refuses what it was asked. */
export function refuse(response: ServerResponse, status = 400): void {
  reply(response, { error: { message: 'not this one' } }, { status });
}

/** A model paints a picture. */
export function paint(response: ServerResponse): void {
  const url = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==';
  reply(response, { choices: [{ message: { role: 'assistant', content: '', images: [{ image_url: { url } }] } }] });
}
