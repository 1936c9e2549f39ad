/** What Ctrl-C and SIGTERM do: the first drains the run, with what is to be done then; a second ends the process at once. */
export function interruptSignals(remedy = 'nothing of it is kept'): Disposable & { readonly drain: AbortSignal } {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Error(`by ${name}; ${remedy}`));
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, stop);
  return {
    drain: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of signals) process.off(name, stop);
    },
  };
}
