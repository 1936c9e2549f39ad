import { Agent, fetch as send } from 'undici';

/** The connections of a run to remote tool servers; disposing closes them. */
export interface ToolFetch extends AsyncDisposable {
  readonly fetch: typeof fetch;
}

/**
 * A `fetch` for tool servers without limits of its own: a call's time limit is its own, and the stream of an idle
 * session may be silent for hours, where the usual `fetch` gives up after five minutes.
 */
export function openToolFetch(): ToolFetch {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const bound = (...[input, init]: Parameters<typeof send>) => send(input, { ...init, dispatcher });
  return {
    fetch: bound as unknown as typeof fetch,
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}
