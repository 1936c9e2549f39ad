export { type AnalyseOptions, analyseDataset, analysePreview, countDataset } from './analyse.ts';
export { columnStatistics, percentOf } from './columns/column-statistics.ts';
export { dateSql } from './columns/date-profile.ts';
export {
  type CalculatedValue,
  type CategoryProfile,
  type ColumnProfile,
  type DatasetProfile,
  type DateProfile,
  type FieldProfile,
  type Histogram,
  NOT_CALCULATED,
  type NumberProfile,
  type ScoreProfile,
  type TokenProfile,
  type ValueProfile,
} from './dataset-profile.ts';
export type { CountedProfile } from './profile-dataset.ts';
export { countTextTokens } from './tokens/count-tokens.ts';
export { type Opening, openingRenderer } from './tokens/render-opening.ts';
