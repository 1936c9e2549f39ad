export { COMPRESSIONS, type Compression, compressionOf } from './output/compression.ts';
export type { ExportedFile } from './output/export-files.ts';
export { isTrainingFormat, TRAINING_FORMATS, type TrainingFormatName } from './training-formats.ts';
export type { ExportedTraining, TrainingCounts, TrainingOptions } from './training-options.ts';
