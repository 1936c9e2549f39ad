import type { FieldPath, Finding } from '@data-designer/core';
import { optionsOf, type Score } from './score.ts';

/** What no answer could fulfil: two scores of one name, a score without options, and an option that is there twice. */
export function checkScores(scores: readonly Score[]): Finding[] {
  return scores.flatMap((score, index) => {
    const first = scores.findIndex(({ name }) => name === score.name);
    return [...(first < index ? [sameName(score.name, index)] : []), ...checkOptions(score, index)];
  });
}

function checkOptions(score: Score, index: number): Finding[] {
  const options = optionsOf(score).map(([option]) => option);
  const place = ['scores', index, 'options'] as const;
  if (options.length === 0) return [noOptions(score.name, place)];
  return options.flatMap((option, at) => (options.indexOf(option) < at ? [sameOption(option, [...place, at])] : []));
}

function sameName(name: string, index: number): Finding {
  return {
    stage: 'run',
    type: 'duplicate_score',
    level: 'ERROR',
    field: ['scores', index, 'name'],
    message: `there is another score named '${name}', and an answer can hold one only.`,
    remedy: 'Rename one.',
  };
}

function noOptions(name: string, place: FieldPath): Finding {
  return {
    stage: 'run',
    type: 'no_options',
    level: 'ERROR',
    field: place,
    message: `the score '${name}' has no options that a model could choose from.`,
    remedy: 'Give at least one, with what it means.',
  };
}

function sameOption(option: string | number, place: FieldPath): Finding {
  return {
    stage: 'run',
    type: 'duplicate_option',
    level: 'ERROR',
    field: place,
    message: `the option '${option}' is there already.`,
    remedy: 'Take one out.',
  };
}
