import type { Row } from '@data-designer/core';
const NAME = /\{\{\s*(\w+)\s*\}\}/g;
export function parseTemplate(source: string): { references: readonly string[] } {
  return { references: [...source.matchAll(NAME)].map((m) => m[1] as string) };
}
export function compileTemplate(source: string): (row: Row) => string {
  return (row) => source.replace(NAME, (_, name: string) => String(row[name]));
}
