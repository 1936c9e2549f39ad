/**
 * A promise that need not be waited for: what a function of the calling program leaves behind is refused once its row is
 * over, which must not end the program.
 */
export function handedOut<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}
