import { code } from './code.ts';
import { execution } from './execution.ts';
import { localCallable } from './local-callable.ts';
import { remote } from './remote.ts';
import { state } from './state.ts';
import { trajectory } from './trajectory.ts';
import type { Validator, ValidatorType } from './validator.ts';

/** All validators. */
const VALIDATORS: { readonly [Type in ValidatorType]: Validator<Type> } = {
  code,
  local_callable: localCallable,
  remote,
  trajectory,
  state,
  execution,
};

/** The validator of some parameters. */
export function validatorOf<Type extends ValidatorType>(type: Type): Validator<Type> {
  return VALIDATORS[type];
}
