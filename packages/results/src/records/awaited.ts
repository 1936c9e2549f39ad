import { DataDesignerError } from '@data-designer/core';
import { MadeRecords } from './made-records.ts';

/** The members of results that their class does not define, because each object has its own. */
const FIELDS = [
  'count',
  'requested',
  'ended',
  'path',
  'datasetName',
  'divertedFrom',
  'exported',
  'escapedTexts',
  'damages',
];

/** A promise that knows whether anybody waits for it. */
class Expected<Value> extends Promise<Value> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  #isExpected = false;

  get isExpected(): boolean {
    return this.#isExpected;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a promise has it
  override then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#isExpected = true;
    return super.then(onFulfilled, onRejected);
  }
}

/**
 * The promise of a call's results. A member of the results that is read from the promise throws `config/invalid`, and a failure
 * that nobody waits for says so in its stack, which the runtime prints before it ends.
 */
export function awaited<Results extends MadeRecords>(
  made: Promise<Results>,
  { call, type, rows = `(await ${call}).records()` }: AwaitedCall<Results>,
): Promise<Results> {
  const promise: Expected<Results> = new Expected((resolve, reject) => {
    const fail = (failure: unknown): void => {
      if (!promise.isExpected && failure instanceof Error) {
        failure.stack = `Nobody waits for ${call}, so that its failure ends the process. Write: await ${call}\n\n${failure.stack}`;
      }
      reject(failure);
    };
    // A caller that awaits the promise has done so by the next turn of the event loop.
    void made.then(resolve, (failure: unknown) => void setImmediate(fail, failure));
  });
  const refuse = (member: PropertyKey, { message, remedy }: { readonly message: string; readonly remedy: string }) => {
    const get = (): never => {
      const violation = { stage: 'run', level: 'ERROR', type: 'invalid_option', path: '', message, remedy } as const;
      throw new DataDesignerError('config/invalid', { source: `The use of ${call}`, violations: [violation] });
    };
    void Object.defineProperty(promise, member, { get, configurable: true });
  };
  for (const member of membersOf(type.prototype)) {
    if (member in promise || member === 'records') continue;
    const message = `'${member}' is read from the promise that ${call} returns, and not from its results.`;
    refuse(member, { message, remedy: `Write: (await ${call}).${member}` });
  }
  const message = `${call} returns a promise of results, and no rows to iterate over.`;
  refuse(Symbol.asyncIterator, { message, remedy: `Write: for await (const row of ${rows})` });
  return promise;
}

/** How the caller got the promise. */
interface AwaitedCall<Results> {
  readonly call: string;
  readonly type: { readonly prototype: Results };
  /** The expression of the rows, for the message; those of the results by default. */
  readonly rows?: string;
}

/** The names of the members of results. */
function membersOf(prototype: object): readonly string[] {
  const inherited = Object.getOwnPropertyNames(MadeRecords.prototype);
  return [...new Set([...FIELDS, ...inherited, ...Object.getOwnPropertyNames(prototype)])];
}
