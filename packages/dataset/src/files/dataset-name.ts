import { DataDesignerError } from '@data-designer/core';

/** Characters that some system forbids in folder names: `< > : " / \ | ? *` and control characters. */
const FORBIDDEN = /[<>:"/\\|?*\p{Cc}]/u;

/** Throws `config/invalid` if the name cannot be a folder's. */
export function checkDatasetName(name: string): void {
  const mistake = mistakeIn(name);
  if (mistake === undefined) return;
  throw new DataDesignerError('config/invalid', {
    source: 'The dataset name',
    violations: [
      {
        stage: 'run',
        type: 'dataset_name',
        level: 'ERROR',
        path: 'dataset_name',
        message: `${JSON.stringify(name)} ${mistake}.`,
        remedy: 'Use only letters, digits, spaces, dots, dashes and underscores.',
      },
    ],
  });
}

/** The name for a new dataset if the wanted one is taken: `{name}_{MM-DD-YYYY_HHMMSS}` in local time. */
export function timeStampedName(name: string, now: Date): string {
  const date = `${two(now.getMonth() + 1)}-${two(now.getDate())}-${now.getFullYear()}`;
  return `${name}_${date}_${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}

function mistakeIn(name: string): string | undefined {
  if (name.trim() === '') return 'is empty';
  if (name === '.' || name === '..') return 'is not the name of a new folder';
  const character = FORBIDDEN.exec(name)?.[0];
  return character === undefined ? undefined : `contains ${JSON.stringify(character)}`;
}
