export { COMPRESSIONS, type Compression, compressionOf, isFolder } from './output/part-names.ts';
export type { ExportedFile } from './output/export-files.ts';
export { examplesOf, isTrainingFormat, TRAINING_FORMATS, type TrainingFormatName } from './training-formats.ts';
export {
  type ExportedTraining,
  type TrainingCounts,
  type TrainingOptions,
  trainingProblem,
} from './training-options.ts';
