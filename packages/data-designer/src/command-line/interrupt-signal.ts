/** A signal that Ctrl-C and SIGTERM abort; a second Ctrl-C ends the process at once. */
export function interruptSignal(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(130);
    process.stderr.write(`\n${name}: stopping; once more ends at once.\n`);
    controller.abort(new Error(`by ${name}`));
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of signals) process.off(name, stop);
    },
  };
}
