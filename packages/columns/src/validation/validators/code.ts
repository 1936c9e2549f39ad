import { checkTargets } from '../check-targets.ts';
import { codeField, validateCode } from '../validate-code.ts';
import { defineValidator } from './validator.ts';

/** Checks the syntax and the style of code. */
export const code = defineValidator({
  type: 'code',
  field: ({ name, targetColumns, params: { codeLang } }) => codeField(name, { targetColumns, codeLang }),
  check: ({ targetColumns, params: { codeLang } }, dataset) => checkTargets(targetColumns, codeLang, dataset),
  make: ({ targetColumns, params: { codeLang } }) => ({ cell: validateCode({ targetColumns, codeLang }) }),
});
