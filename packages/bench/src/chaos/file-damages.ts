import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';

/** The ways in which a file is damaged; `other` is the file of that name in another dataset of the same config. */
export const FILE_DAMAGES: Readonly<Record<string, (path: string, other: string) => void>> = {
  removed: (path) => rmSync(path),
  emptied: (path) => truncateSync(path),
  cut: (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  changed: (path) => {
    const bytes = readFileSync(path);
    const at = Math.floor(bytes.length / 2);
    // The lowest bit: digits and letters become others, so that JSON stays JSON.
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  },
  replaced: (path, other) => {
    if (existsSync(other)) copyFileSync(other, path);
  },
  // Root reads a file without permissions too, but nobody a link to itself.
  unreadable: (path) => {
    rmSync(path);
    symlinkSync(path, path);
  },
  'a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};
