import { setTimeout as sleep } from 'node:timers/promises';

/** The shortest time between two requests for a stream: some servers end each at once and ask to come back at once. */
const STREAM_EVERY_MS = 500;

type Body = NonNullable<Response['body']>;

/** The streams of a link that belong to no call, and the times of the requests for streams. */
export class OpenStreams {
  readonly #lastAt = new WeakMap<object, number>();
  #open = 0;

  get isOpen(): boolean {
    return this.#open > 0;
  }

  /** Waits until a further stream for the same purpose may be asked for. */
  async pace(call: object | undefined, signal: AbortSignal | null | undefined): Promise<void> {
    const purpose = call ?? this;
    const now = performance.now();
    const at = Math.max(now, (this.#lastAt.get(purpose) ?? -Infinity) + STREAM_EVERY_MS);
    this.#lastAt.set(purpose, at);
    if (at > now) await sleep(at - now, undefined, signal ? { signal, ref: false } : { ref: false });
  }

  /** The same stream, open until it ends. */
  counted(body: Body): Body {
    this.#open++;
    const reader = body.getReader();
    let isOpen = true;
    const end = (): void => {
      if (isOpen) this.#open--;
      isOpen = false;
    };
    return new ReadableStream({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (thrown) {
          end();
          controller.error(thrown);
        }
      },
      cancel: (reason) => {
        end();
        return reader.cancel(reason);
      },
    });
  }
}
