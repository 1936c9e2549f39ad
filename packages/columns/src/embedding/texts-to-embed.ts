import { type CellValue, DataDesignerError, Float, stringifyJson } from '@data-designer/core';
import { pythonText } from '@data-designer/template';
import { readLiteralList } from './read-literal-list.ts';

/**
 * The texts that vectors are made of, trimmed: the items of a list, also of one that is written as text in JSON or as
 * Python prints it; anything else is one text. Nothing, and blank text, is `column/no-text`.
 */
export function textsToEmbed(value: CellValue, column: string): readonly string[] {
  return itemsOf(value).map((item) => {
    const text = textOf(item).trim();
    if (text !== '') return text;
    const found = item === null ? 'null' : 'blank';
    throw new DataDesignerError('column/no-text', { column, found });
  });
}

function itemsOf(value: CellValue): readonly CellValue[] {
  if (Array.isArray(value)) return value as readonly CellValue[];
  return (typeof value === 'string' ? readLiteralList(value) : undefined) ?? [value];
}

function textOf(item: CellValue): string {
  if (typeof item === 'string') return item;
  if (item === null) return '';
  return typeof item === 'object' && !(item instanceof Float) ? stringifyJson(item) : pythonText(item);
}
