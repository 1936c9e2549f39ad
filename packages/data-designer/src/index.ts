export { DataDesigner, type CreateOptions, type DataDesignerOptions, type Declaration } from './data-designer.ts';
export { DatasetCreationResults } from './dataset-creation-results.ts';
