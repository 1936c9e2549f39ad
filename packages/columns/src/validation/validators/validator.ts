import type {
  ArrowField,
  DeclaredTemplate,
  Finding,
  MadeCells,
  Reference,
  Requirements,
  ServerUse,
  Setting,
  StateQuery,
  Surroundings,
} from '@data-designer/core';
import type { ValidatorParams } from '../validator-params.ts';

/** The name of a validator. */
export type ValidatorType = ValidatorParams['validatorType'];

/** A validation with the parameters of one validator. */
export interface Validation<Type extends ValidatorType> {
  readonly name: string;
  readonly targetColumns: readonly string[];
  readonly batchSize: number;
  readonly params: Extract<ValidatorParams, { validatorType: Type }>;
}

/** What checks the values of columns. */
export interface Validator<Type extends ValidatorType> {
  readonly type: Type;
  /** The field that holds its verdicts. */
  readonly field: (validation: Validation<Type>) => ArrowField;
  /** The templates among its parameters; none by default. */
  readonly templates?: (params: Validation<Type>['params']) => DeclaredTemplate[];
  /** The columns that it reads beside its targets; none by default. */
  readonly reads?: (params: Validation<Type>['params']) => Reference[];
  /** The queries over states that are the same in every row; none by default. */
  readonly stateQueries?: (validation: Validation<Type>) => StateQuery[];
  /** What it needs beside its columns; nothing by default. */
  readonly requires?: (params: Validation<Type>['params']) => {
    readonly tools?: readonly string[];
    readonly server?: ServerUse;
    readonly recordsOutcomes?: boolean;
    readonly programs?: NonNullable<Requirements['programs']>;
  };
  /** Whether its verdicts say what programs did, as those of `execution` do. */
  readonly runsPrograms?: true;
  /** Mistakes that its schema does not find. */
  readonly check: (validation: Validation<Type>, dataset: Surroundings) => Finding[];
  readonly make: (validation: Validation<Type>, setting: Setting) => MadeCells;
}

/** Declares a validator. */
export function defineValidator<Type extends ValidatorType>(validator: Validator<Type>): Validator<Type> {
  return validator;
}

/** A function that is loaded at its first call: every worker loads the validators, and few datasets use each. */
export function loadedOnce<Given, Made>(
  load: () => Promise<(given: Given) => Promise<Made>>,
): (given: Given) => Promise<Made> {
  let loaded: ReturnType<typeof load> | undefined;
  return async (given) => {
    loaded ??= load();
    return (await loaded)(given);
  };
}
