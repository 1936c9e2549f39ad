export {
  LATENCY_FORMS,
  MAX_ERROR_RATE,
  type RehearsalOptions,
  type RehearsalRates,
  resolveRates,
  SAMPLE_ROWS,
  simulatorLatency,
} from './rehearsal-options.ts';
export type { AttemptForecast } from './attempt-forecast.ts';
export type { SelectionForecast } from './forecast-selection.ts';
export type { ModelForecast, Rehearsal, WallBound, WallForecast } from './rehearsal.ts';
