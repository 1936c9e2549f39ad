// The pages of a static copy use this module too: it must not import what needs Node.
import { fieldsOf, isFields, itemsOf } from '@data-designer/core/json-fields';
import type { CheckedProgram, ProgramTest } from '../../api/record.ts';
import { type CutLimits, cutCell } from '../cut-cell.ts';

/** What the programs of a verdict did: one, or one for each target. */
export function checkedPrograms(verdict: unknown, limits: CutLimits): readonly CheckedProgram[] {
  if (!isFields(verdict)) return [];
  if (Object.hasOwn(verdict, 'is_valid')) return [checkedProgram(null, verdict, limits)];
  return Object.entries(verdict).map(([target, part]) => checkedProgram(target, part, limits));
}

function checkedProgram(target: string | null, verdict: unknown, limits: CutLimits): CheckedProgram {
  const { is_valid: isValid, failure, error, output, result, seconds, memory_mb: memoryMb, tests } = fieldsOf(verdict);
  const all = itemsOf(tests).filter(isFields);
  return {
    target,
    isValid: typeof isValid === 'boolean' ? isValid : null,
    failure: typeof failure === 'string' ? failure : null,
    error: cutCell(error, limits),
    output: cutCell(output, limits),
    result: cutCell(result, limits),
    seconds: typeof seconds === 'number' ? seconds : null,
    memoryMb: typeof memoryMb === 'number' ? memoryMb : null,
    tests: all.slice(0, limits.items).map((test): ProgramTest => ({
      number: Number(test['test']),
      passed: test['passed'] === true,
      error: cutCell(test['error'], limits),
      output: cutCell(test['output'], limits),
    })),
    testCount: all.length,
  };
}
