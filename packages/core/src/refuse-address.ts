import { DataDesignerError } from './errors.ts';

/** An address with a scheme of two letters or more; a single letter is a drive. */
const ADDRESS = /^[a-z][a-z\d+.-]+:\/\//i;

/** Throws `dataset/remote` for an address, such as `s3://bucket/folder`, in place of the path of a file or folder to write. */
export function refuseAddress(path: string): void {
  if (ADDRESS.test(path)) throw new DataDesignerError('dataset/remote', { path });
}
