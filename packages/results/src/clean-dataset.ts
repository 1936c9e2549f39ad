export { type CleanedCandidates, cleanDataset, type CleanOptions } from '@data-designer/engine';
