import { type DeclaredTemplate, field, type Finding, knownNames } from '@data-designer/core';
import { missingPackage } from '@data-designer/execution/options';
import { runFinding } from '../../run-finding.ts';
import { isTemplate } from '@data-designer/template';
import { verdictField } from '../target-verdicts.ts';
import { engineOf, type ExecutionParams, LANGUAGES } from '../validator-params.ts';
import { defineValidator, loadedOnce } from './validator.ts';

const TEST = {
  struct: [field('test', 'int64'), field('passed', 'bool'), field('error', 'utf8'), field('output', 'utf8')],
} as const;
const VERDICT = [
  field('is_valid', 'bool'),
  field('failure', 'utf8'),
  field('error', 'utf8'),
  field('output', 'utf8'),
  field('result', 'utf8'),
  field('seconds', 'float64'),
  field('memory_mb', 'float64'),
  field('tests', { list: TEST }),
] as const;

/** Runs programs and queries in a sandbox. */
export const execution = defineValidator({
  type: 'execution',
  field: ({ name, targetColumns }) => verdictField(name, targetColumns, VERDICT),
  runsPrograms: true,
  templates: templatesOf,
  requires: ({ provider }) =>
    provider === null ? { recordsOutcomes: true } : { programs: { provider, field: ['validatorParams', 'provider'] } },
  check: ({ params }) => checkParams(params),
  make: ({ targetColumns, params }, setting) => ({
    cell: loadedOnce(async () => {
      const { validateExecution } = await import('../validate-execution.ts');
      return validateExecution({ targetColumns, ...params }, setting);
    }),
  }),
});

function templatesOf({ setup, tests, expected, tables }: ExecutionParams): DeclaredTemplate[] {
  const texts = [
    [setup, ['setup']],
    [tests, ['tests']],
    [expected, ['expected']],
    ...Object.entries(tables).map(([name, rows]) => [rows, ['tables', name]] as const),
  ] as const;
  return texts.flatMap(([source, place]): DeclaredTemplate[] =>
    typeof source === 'string' && isTemplate(source)
      ? [{ source, field: ['validatorParams', ...place], role: 'value' }]
      : [],
  );
}

function checkParams(params: ExecutionParams): Finding[] {
  const { language, provider, engine, tests, call, expected, tables, ordered } = params;
  const mistakes: Finding[] = [];
  const refuse = (key: string, message: string, remedy: string): void => {
    mistakes.push(runFinding(['validatorParams', key], { message, remedy }));
  };
  const isSql = language === 'sql';
  if (!isSql && engine !== null) refuse('engine', 'only SQL has a choice of engines.', 'Remove it.');
  if (provider !== null && engine !== null) refuse('engine', 'the provider runs the queries.', 'Remove it.');
  if (provider === null && !LANGUAGES.some((one) => one === language)) {
    const remedy = `${knownNames(language, LANGUAGES)} For others, name an execution provider with 'provider'.`;
    refuse('language', `there is no sandbox for '${language}'.`, remedy);
  }
  if (!isSql && provider === null && Object.keys(tables).length > 0)
    refuse('tables', 'only SQL reads tables.', 'Remove them, or use setup.');
  if (!isSql && ordered) refuse('ordered', 'only the rows of SQL have an order.', 'Remove it.');
  if (isSql && tests !== null) refuse('tests', 'queries have no tests.', 'Use expected: a query, or the rows.');
  if (isSql && call !== null) refuse('call', 'queries have no functions.', 'Remove it.');
  if (!isSql && tests !== null && expected !== null) {
    refuse('expected', 'the tests decide on the program already.', 'Remove expected or tests.');
  }
  const needsCall = Array.isArray(tests) && tests.some((test) => Object.hasOwn(Object(test), 'args'));
  if (needsCall && call === null) {
    refuse('tests', 'they have arguments, but no function is named.', "Add 'call', the function's name.");
  }
  const own = provider === null ? engineOf(params) : undefined;
  const missing = own && missingPackage(own);
  if (missing !== undefined) {
    refuse('language', `the package ${missing} is not installed.`, `Install it: npm install ${missing}.`);
  }
  return mistakes;
}
