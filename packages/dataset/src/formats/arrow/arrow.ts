import type { DatasetFormat } from '../dataset-format.ts';

const loadWriter = async () => (await import('./write-arrow.ts')).writeArrow;

/** Arrow IPC files: uncompressed record batches, which readers may map into memory. */
export const arrow = {
  storage: {
    loadWriter,
    loadReader: async () => (await import('./read-arrow.ts')).arrowReader,
    loadMerge: async () => (await import('./merge-arrow.ts')).mergeArrow,
  },
  export: { isText: false, loadWriter },
} as const satisfies DatasetFormat;
