export { readSource, type TrainingSource } from './examples/training-source.ts';
export { TrainingExport } from './export-training.ts';
export { emptyCounts } from './lines/example-lines.ts';
export { trainingProblem } from './training-options.ts';
export { askedModels, temperatureOf } from './measure/provenance.ts';
