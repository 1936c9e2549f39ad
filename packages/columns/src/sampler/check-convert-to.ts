import type { Finding } from '@data-designer/core';
import { readFloat } from '../expression/cast.ts';
import { runFinding } from '../run-finding.ts';
import { mistakeInTimeFormat } from '../samplers/datetime/time-format.ts';
import {
  declaredParams,
  type DeclaredParams,
  allParams,
  type SampledColumn,
  type SampledParams,
} from '../samplers/sampled-column.ts';
import type { SamplerOf } from '../define-sampler.ts';

const NUMBER_TYPES: readonly string[] = ['float', 'int', 'str'];

/** Checks `convert_to` of a sampler column. */
export function checkConvertTo(column: SampledColumn, samplerOf: SamplerOf): readonly Finding[] {
  const { convertTo, samplerType } = column;
  if (convertTo === null) return [];
  const { converts } = samplerOf(samplerType);
  if (converts === 'time') return checkFormat(convertTo);
  return converts === 'number' ? checkNumberType(column, convertTo, samplerOf) : [];
}

function refused(message: string, remedy: string): Finding {
  return runFinding(['convertTo'], { type: 'invalid_convert_to', message, remedy });
}

function checkFormat(format: string): readonly Finding[] {
  const mistake = mistakeInTimeFormat(format);
  if (mistake === undefined) return [];
  return [
    refused(
      `'${format}' cannot be used as a time format: ${mistake}.`,
      "Use a format that includes the day, such as '%Y-%m-%d'.",
    ),
  ];
}

function checkNumberType(column: SampledColumn, convertTo: string, samplerOf: SamplerOf): readonly Finding[] {
  if (!NUMBER_TYPES.includes(convertTo)) {
    return [refused(`values cannot be converted to '${convertTo}'.`, "Use 'float', 'int' or 'str'.")];
  }
  if (convertTo === 'str') return declaredParams(column).flatMap(checkRounding);
  const texts = allParams(column).flatMap((params) => textsIn(params, samplerOf));
  if (convertTo === 'int' && texts.length > 0) {
    return [
      refused(
        "text values cannot be converted to 'int', even if they are digits.",
        "Use 'float', or list numbers instead of text.",
      ),
    ];
  }
  const [word] = texts.filter((text) => readFloat(text) === undefined);
  return word === undefined
    ? []
    : [refused(`the value '${word}' is not a number.`, "Use 'str', or list only numbers.")];
}

/** Rounding follows conversion, so text cannot be rounded. In conditional parameters the reference tool ignores it: a warning. */
function checkRounding({ at, params: { decimalPlaces } }: DeclaredParams): readonly Finding[] {
  if (decimalPlaces === null || decimalPlaces === undefined) return [];
  const message = "values that are converted to 'str' cannot be rounded.";
  const remedy = 'Remove decimal_places or convert_to.';
  const found = runFinding([...at, 'decimalPlaces'], { type: 'invalid_convert_to', message, remedy });
  return [at[0] === 'params' ? found : { ...found, level: 'WARNING' }];
}

/** The texts in the lists under `values`; one text makes the whole list text. */
function textsIn(params: SampledParams, samplerOf: SamplerOf): readonly string[] {
  if (samplerOf(params.samplerType).arrow(params) !== 'utf8') return [];
  const lists = typeof params.values === 'object' ? Object.values(params.values ?? {}) : [];
  return lists.flat().map(String);
}
