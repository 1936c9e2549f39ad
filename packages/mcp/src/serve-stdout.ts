import { Writable } from 'node:stream';

/** Standard output in the hands of one, until it is given back. */
export interface ClaimedStdout {
  readonly stdout: Writable;
  readonly giveBack: () => void;
}

/** Messages of this size may wait before a sender is told to. */
const HIGH_WATER_BYTES = 16 * 2 ** 20;

/** Takes standard output for a protocol: what anybody else writes there goes to standard error meanwhile. */
export function claimStdout(): ClaimedStdout {
  const { stdout: own, stderr } = process;
  const write = own.write.bind(own);
  const elsewhere: typeof own.write = stderr.write.bind(stderr);
  own.write = elsewhere;
  const stdout = new Writable({
    highWaterMark: HIGH_WATER_BYTES,
    decodeStrings: false,
    write: (text: string, _encoding, done) => void write(text, done),
  });
  // Each message that waits for room listens for it.
  stdout.setMaxListeners(0).on('error', () => undefined);
  const giveBack = (): void => {
    if (own.write === elsewhere) own.write = write;
  };
  return { stdout, giveBack };
}
