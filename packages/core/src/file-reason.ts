import { messageOf } from './errors.ts';

/** Refusals of the file system in plain words. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'a file of that name is in the way',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  EFBIG: 'the file grew larger than the file system allows',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EIO: 'the device reports an input/output error',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this machine',
};

/** The code of a system error, such as `ENOENT`; empty for any other thrown value. */
export function systemCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}

/** Why the file system refused a file or folder, in plain words; the system's own message for other codes. */
export function fileReason(thrown: unknown, wanted: 'file' | 'folder' = 'file'): string {
  const code = systemCode(thrown);
  if (code === 'ENOENT') return `there is no such ${wanted}`;
  return REASONS[code] ?? messageOf(thrown);
}
