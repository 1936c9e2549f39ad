import { join } from 'node:path';
import { systemCode } from '@data-designer/core';
import { files } from '../files/files.ts';
import { orStorageFailure } from '../files/storage-failure.ts';
import { namesOf } from '../journal/folder-journal.ts';

/** An attempt at a row group. */
export interface Epoch {
  readonly number: number;
  /** The attempts whose machines neither finished the group nor gave it back. */
  readonly losses: number;
}

const RETURNED = '.returned';

/** Takes the next epoch of a row group by creating its file, which only one machine can do; undefined if the run is over. */
export function takeEpoch(folder: string, machine: string): Promise<Epoch | undefined> {
  return orStorageFailure(folder, async () => {
    if (!(await makeOnly(folder))) return undefined;
    const names = await namesOf(folder);
    const losses = names.filter((name) => /^\d+$/.test(name)).length;
    for (let number = (numbersIn(names).at(-1) ?? 0) + 1; ; number++) {
      if (await create(join(folder, digits(number)), machine)) return { number, losses };
    }
  });
}

/** Marks an epoch as given back: its machine ended in order, so that the group's losses do not count it. */
export async function returnEpoch(folder: string, { number }: Epoch): Promise<void> {
  const path = join(folder, digits(number));
  // The run may be over, and its folder removed.
  await files()
    .rename(path, `${path}${RETURNED}`)
    .catch(() => {});
}

/** Whether another machine has taken a later epoch of the group. */
export async function isSuperseded(folder: string, { number }: Epoch): Promise<boolean> {
  return (numbersIn(await namesOf(folder)).at(-1) ?? 0) > number;
}

/** Whether a machine has begun the group, and has not given it back; it may be lost. */
export async function isTaken(folder: string): Promise<boolean> {
  const names = await namesOf(folder);
  return names.includes(digits(numbersIn(names).at(-1) ?? 0));
}

/** The number of an epoch as written in file names. */
export function digits(number: number): string {
  return String(number).padStart(6, '0');
}

/** Makes a folder, but not its parent: the end of the run removes that. */
async function makeOnly(folder: string): Promise<boolean> {
  try {
    await files().mkdir(folder);
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return false;
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
  }
  return true;
}

async function create(path: string, machine: string): Promise<boolean> {
  try {
    const file = await files().open(path, 'ax');
    try {
      await files().write(file, machine);
    } finally {
      await files().close(file);
    }
    return true;
  } catch (thrown) {
    // A listing of a network folder may be old.
    if (systemCode(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

function numbersIn(names: readonly string[]): readonly number[] {
  return names
    .flatMap((name) => (/^\d+(?:\.returned)?$/.test(name) ? Number.parseInt(name, 10) : []))
    .toSorted((a, b) => a - b);
}
