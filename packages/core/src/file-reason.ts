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

/** Why the file system refused something that was to be a file or a folder; what it said itself where that is all there is. */
export function fileReason(thrown: unknown, wanted: 'file' | 'folder' = 'file'): string {
  const { code = '', message } = thrown as Partial<NodeJS.ErrnoException>;
  return code === 'ENOENT' ? `there is no such ${wanted}` : (REASONS[code] ?? message ?? String(thrown));
}
