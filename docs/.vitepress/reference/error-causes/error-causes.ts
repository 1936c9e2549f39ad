import type { FailureCode } from '@data-designer/core';
import { clusterErrors } from './cluster-errors.ts';
import { configErrors } from './config-errors.ts';
import { columnErrors } from './column-errors.ts';
import { modelErrors } from './model-errors.ts';
import { sourceErrors } from './source-errors.ts';
import { runErrors } from './run-errors.ts';
import { datasetErrors } from './dataset-errors.ts';
import type { Explained } from './explained.ts';

/** The explanation of every error code. */
export const CAUSES: Readonly<Partial<Record<FailureCode, Explained>>> = {
  ...configErrors,
  ...columnErrors,
  ...modelErrors,
  ...sourceErrors,
  ...runErrors,
  ...datasetErrors,
  ...clusterErrors,
};
