import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';

/** The case that a reading process is at, and whether that is being read. */
export interface FuzzProgress {
  readonly number: number;
  readonly underWay: boolean;
}

const BYTES = 9;

/** Keeps the progress in a file, where it outlives whatever a case does to the process that reads it. */
export function openProgress(path: string) {
  const open = openSync(path, constants.O_RDWR | constants.O_CREAT);
  const bytes = Buffer.alloc(BYTES);
  return {
    set: ({ number, underWay }: FuzzProgress): void => {
      bytes.writeDoubleLE(number);
      bytes.writeUInt8(Number(underWay), 8);
      writeSync(open, bytes, 0, BYTES, 0);
    },
    get: (): FuzzProgress => {
      readSync(open, bytes, 0, BYTES, 0);
      return { number: bytes.readDoubleLE(), underWay: bytes.readUInt8(8) === 1 };
    },
    [Symbol.dispose]: () => closeSync(open),
  };
}
