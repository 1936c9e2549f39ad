import { StatementParser } from './statement-parser.ts';
import type { Statement } from './tree.ts';

/** Reads a template into Jinja2's tree; throws `template/syntax` with line and column. */
export function parse(source: string, medium: 'text' | 'json' = 'text'): readonly Statement[] {
  return new StatementParser(source, medium).parseTemplate();
}
