export { readSource, type TrainingSource } from './examples/training-source.ts';
export { emptyCounts, TrainingExport } from './export-training.ts';
export { trainingProblem } from './training-options.ts';
export { askedModels, temperatureOf } from './measure/provenance.ts';
